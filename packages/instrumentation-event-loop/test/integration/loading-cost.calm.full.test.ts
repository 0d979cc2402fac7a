import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { describe, expect, test } from '@jest/globals';
import { combinationPerMajor, consumerOf, describeCombination, median } from '@loopwatch/test-support';
import { nodeBinary } from '@loopwatch/node-binaries';

const run = promisify(execFile);

const PROCESSES = 15;
/**
 * What loading and registering may cost, in starts of Node.js itself. Milliseconds would say more about the machine:
 * "Loading and registering" in docs/benchmarks.md has both.
 */
const MAX_STARTS = 0.5;

type Type = 'module' | 'commonjs';

/** CPU of a process, µs. */
interface Costs {
  /** Of the start of Node.js. */
  readonly start: number;
  /** Of loading and registering the package, where an SDK and another instrumentation are loaded. */
  readonly own: number;
}

function programOf(type: Type): string {
  const load = (name: string): string => (type === 'module' ? `(await import('${name}'))` : `require('${name}')`);
  return `
    const cpu = () => { const { user, system } = process.cpuUsage(); return user + system; };
    const start = cpu();
    const { writeSync } = ${load('node:fs')};
    ${load('@opentelemetry/sdk-node')};
    ${load('@opentelemetry/api')};
    const { InstrumentationBase } = ${load('@opentelemetry/instrumentation')};
    class Empty extends InstrumentationBase { init() {} }
    new Empty('empty', '1.0.0', {});
    const before = cpu();
    const { EventLoopInstrumentation } = ${load('@loopwatch/instrumentation-event-loop')};
    new EventLoopInstrumentation();
    writeSync(1, JSON.stringify({ start, own: cpu() - before }));
    process.exit();`;
}

describe.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
  '%s',
  (_label, { nodeMajor, sdk }) => {
    test.each<Type>(['module', 'commonjs'])(
      'loading and registering in a %s costs less than half a start of Node.js',
      async (type) => {
        const { directory: cwd } = await consumerOf(sdk);
        const costs: Costs[] = [];
        for (let count = 0; count <= PROCESSES; count++) {
          const { stdout } = await run(nodeBinary(nodeMajor), [`--input-type=${type}`, '--eval', programOf(type)], {
            cwd,
            timeout: 30_000,
            env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production' },
          });
          // The first process fills the caches of the system.
          if (count > 0) costs.push(JSON.parse(stdout) as Costs);
        }
        const start = median(costs.map((cost) => cost.start));
        const own = median(costs.map((cost) => cost.own));
        expect(own).toBeGreaterThan(0);
        expect(own / start).toBeLessThan(MAX_STARTS);
      },
      180_000,
    );
  },
);
