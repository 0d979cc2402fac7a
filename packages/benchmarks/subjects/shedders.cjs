'use strict';
// node shedders.cjs <batches>: what one question "is the loop overloaded?" costs, asked in the loop as a shedder asks it.
// All shedders are loaded in one process and asked in batches, in random order. Prints ns for each question, by shedder.
const { setImmediate: nextIteration, setTimeout: sleep } = require('node:timers/promises');
const fastify = require('fastify');
const overloadProtection = require('overload-protection');
const underPressure = require('@fastify/under-pressure');
const { requireFromConsumer } = require('./support/open-telemetry.cjs');

require('./peers/loopwatch.cjs')({ report: () => undefined });
const { isOverloaded } = requireFromConsumer('@loopwatch/instrumentation-event-loop');

const BATCHES = Number(process.argv[2]);
const QUESTIONS = 20_000;

async function main() {
  const app = fastify();
  await app.register(underPressure, { maxEventLoopDelay: 1000, maxEventLoopUtilization: 0.98 });
  await app.ready();
  const protect = overloadProtection('http', { production: true });
  const limits = { lagMs: 200 };
  const shedders = {
    isOverloaded: () => isOverloaded(limits),
    // Above a limit, it also reads the idle time.
    'isOverloaded, busy': () => isOverloaded({ lagMs: 0 }),
    'under-pressure': () => app.isUnderPressure(),
    // Its middleware reads this property.
    'overload-protection': () => protect.overload,
  };
  await sleep(500); // start-up is over
  const nanoseconds = Object.fromEntries(Object.keys(shedders).map((name) => [name, []]));
  let overloaded = 0;
  for (let batch = 0; batch < BATCHES; batch++) {
    for (const [name, ask] of Object.entries(shedders).sort(() => Math.random() - 0.5)) {
      await nextIteration();
      const before = process.hrtime.bigint();
      for (let count = 0; count < QUESTIONS; count++) if (ask()) overloaded++;
      nanoseconds[name].push(Number(process.hrtime.bigint() - before) / QUESTIONS);
    }
  }
  process.stdout.write(`${JSON.stringify({ nanoseconds, overloaded })}\n`, () => process.exit(0));
}

void main();
