'use strict';
// node awaits-and-iterations.cjs <peer>: prints the CPU time of one await and of one iteration of the event loop, in
// ns.
const { setImmediate: nextIteration } = require('node:timers/promises');

const [peerName] = process.argv.slice(2);
require(`./peers/${peerName}.cjs`)({ report: () => undefined });

const AWAITS_PER_ITERATION = 1000;
const MEASURED_MS = Number(process.env.BENCH_MICRO_MS ?? 400);

async function nothing() {
  return undefined;
}

async function awaits() {
  for (let count = 0; count < AWAITS_PER_ITERATION; count++) await nothing();
  await nextIteration();
  return AWAITS_PER_ITERATION;
}

/** Iterations with a single immediate each, the cheapest possible. */
function iterations() {
  return new Promise((resolve) => {
    let left = AWAITS_PER_ITERATION;
    const next = () => {
      if (--left > 0) setImmediate(next);
      else resolve(AWAITS_PER_ITERATION);
    };
    setImmediate(next);
  });
}

async function nanosecondsEach(run) {
  const until = performance.now() + MEASURED_MS;
  const before = process.cpuUsage();
  let count = 0;
  while (performance.now() < until) count += await run();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1e3) / count;
}

async function main() {
  await nanosecondsEach(awaits); // warm up
  const awaitNanoseconds = await nanosecondsEach(awaits);
  await nanosecondsEach(iterations);
  const iterationNanoseconds = await nanosecondsEach(iterations);
  process.stdout.write(`${JSON.stringify({ awaitNanoseconds, iterationNanoseconds })}\n`, () => process.exit(0));
}

void main();
