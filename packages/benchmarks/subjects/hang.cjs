'use strict';
// node hang.cjs <peer>: blocks and never ends; the runner kills it, as an orchestrator does.
const [peerName] = process.argv.slice(2);
require(`./peers/${peerName}.cjs`)({ report: () => undefined });

function hangForever() {
  process.stdout.write(`${JSON.stringify({ startEpochMs: Date.now() })}\n`);
  for (;;) Math.sqrt(Math.random());
}

setTimeout(hangForever, 1500);
