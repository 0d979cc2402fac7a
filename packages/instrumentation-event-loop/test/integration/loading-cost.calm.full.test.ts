import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { describe, expect, test } from '@jest/globals';
import {
  casesOn,
  consumerOf,
  describeCombination,
  median,
  medianInterval,
  oldestAndNewest,
} from '@loopwatch/test-support';
import { nodeBinary } from '@loopwatch/node-binaries';

const run = promisify(execFile);

/**
 * What loading and registering may cost, as a share of what it costs to load the SDK, in the same thread of the same process:
 * 10 ms where that takes 133. It is work of the same kind, so its share depends little on the machine. A start of Node.js was
 * the measure before: for one package, medians were 0.47 on one host, and 0.50 to 0.57 on another one within minutes, where
 * they were 0.068 to 0.073 of the SDK.
 */
const MAX_SHARE = 0.075;
const PROCESSES_A_ROUND = 8;
/** More rounds follow as long as the interval of the median contains the bound. */
const MAX_ROUNDS = 8;

type Type = 'module' | 'commonjs';

/** CPU of the thread, ns. What V8's helper threads compile meanwhile depends on the cores that are free. */
interface Costs {
  readonly sdk: number;
  readonly own: number;
}

function programOf(type: Type): string {
  const load = (name: string): string => (type === 'module' ? `(await import('${name}'))` : `require('${name}')`);
  return `
    const { readFileSync, writeSync } = ${load('node:fs')};
    const start = ofThread();
    ${load('@opentelemetry/sdk-node')};
    ${load('@opentelemetry/api')};
    const sdk = ofThread() - start;
    const { InstrumentationBase, registerInstrumentations } = ${load('@opentelemetry/instrumentation')};
    class Empty extends InstrumentationBase { init() {} }
    registerInstrumentations({ instrumentations: [new Empty('empty', '1.0.0', {})] });
    const before = ofThread();
    const { EventLoopInstrumentation } = ${load('@loopwatch/instrumentation-event-loop')};
    registerInstrumentations({ instrumentations: [new EventLoopInstrumentation()] });
    writeSync(1, JSON.stringify({ sdk, own: ofThread() - before }));
    process.exit();
    function ofThread() {
      // The scheduler counts when the thread leaves its CPU: without a sleep, the count is up to 4 ms late.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]);
    }`;
}

describe.each(oldestAndNewest.map((combination) => [describeCombination(combination), combination] as const))(
  '%s',
  (_label, combination) => {
    const { nodeMajor, sdk } = combination;
    test.each(casesOn<Type>(combination, ['commonjs', 'module'], oldestAndNewest, 1))(
      'loading and registering in a %s costs less than 10 ms where the SDK takes 133',
      async (type) => {
        const { directory: cwd } = await consumerOf(sdk);
        const measure = async (): Promise<Costs> => {
          const { stdout } = await run(nodeBinary(nodeMajor), [`--input-type=${type}`, '--eval', programOf(type)], {
            cwd,
            timeout: 30_000,
            env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production' },
          });
          return JSON.parse(stdout) as Costs;
        };
        await measure(); // fills the caches of the system
        const shares: number[] = [];
        let interval: readonly [number, number];
        do {
          for (let count = 0; count < PROCESSES_A_ROUND; count++) {
            const { own, sdk } = await measure();
            shares.push(own / sdk);
          }
          interval = medianInterval(shares);
        } while (
          interval[0] <= MAX_SHARE &&
          interval[1] >= MAX_SHARE &&
          shares.length < MAX_ROUNDS * PROCESSES_A_ROUND
        );
        expect(median(shares)).toBeGreaterThan(0);
        expect(interval[0]).toBeLessThanOrEqual(MAX_SHARE);
      },
      300_000,
    );
  },
);
