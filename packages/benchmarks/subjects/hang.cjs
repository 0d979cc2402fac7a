'use strict';
// node hang.cjs <peer>: blocks until the benchmark kills it, as an orchestrator does.
const [peerName] = process.argv.slice(2);
require(`./peers/${peerName}.cjs`)({ report: () => undefined });

/** Limited, because a benchmark that was killed itself cannot kill this process. */
const HANG_MS = 60_000;

function hang() {
  const startEpochMs = Date.now();
  process.stdout.write(`${JSON.stringify({ startEpochMs })}\n`);
  while (Date.now() < startEpochMs + HANG_MS) Math.sqrt(Math.random());
  process.exit(1);
}

setTimeout(hang, 1500);
