'use strict';
// node hang.cjs <peer>: blocks for longer than anybody waits; the runner kills it, as an orchestrator does.
const [peerName] = process.argv.slice(2);
require(`./peers/${peerName}.cjs`)({ report: () => undefined });

/** Not for ever: a runner that was killed itself cannot kill. */
const HANG_MS = 60_000;

function hang() {
  const startEpochMs = Date.now();
  process.stdout.write(`${JSON.stringify({ startEpochMs })}\n`);
  while (Date.now() < startEpochMs + HANG_MS) Math.sqrt(Math.random());
  process.exit(1);
}

setTimeout(hang, 1500);
