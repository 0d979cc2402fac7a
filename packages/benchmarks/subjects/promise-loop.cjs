'use strict';
// node promise-loop.cjs <peer>: what a peer adds to an await, and to a turn of the loop. Prints CPU nanoseconds each.
const { setImmediate: turn } = require('node:timers/promises');

const [peerName] = process.argv.slice(2);
require(`./peers/${peerName}.cjs`)({ report: () => undefined });

const AWAITS_A_TURN = 1000;
const MEASURED_MS = Number(process.env.BENCH_MICRO_MS ?? 400);

async function nothing() {
  return undefined;
}

async function awaits() {
  for (let count = 0; count < AWAITS_A_TURN; count++) await nothing();
  await turn();
  return AWAITS_A_TURN;
}

/** A turn with one immediate in it: the least that a turn can be. */
function turns() {
  return new Promise((resolve) => {
    let left = AWAITS_A_TURN;
    const next = () => {
      if (--left > 0) setImmediate(next);
      else resolve(AWAITS_A_TURN);
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
  await nanosecondsEach(awaits); // warm
  const awaitNanoseconds = await nanosecondsEach(awaits);
  await nanosecondsEach(turns);
  const turnNanoseconds = await nanosecondsEach(turns);
  process.stdout.write(`${JSON.stringify({ awaitNanoseconds, turnNanoseconds })}\n`, () => process.exit(0));
}

void main();
