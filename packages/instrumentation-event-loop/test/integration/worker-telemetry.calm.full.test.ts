import { describe, expect, test } from '@jest/globals';
import { describeCombination } from '@loopwatch/test-support';
import type { RunResult } from '@loopwatch/test-support';

import {
  ATTR_THREAD_NAME,
  METRIC_EVENT_LOOP_THREADS,
  METRIC_EVENT_LOOP_THREAD_IDLE_AGE,
  METRIC_EVENT_LOOP_UTILIZATION,
} from '../../src/semconv.ts';
import { otlpReceiver } from './otlp-receiver.ts';
import { expectCleanExit, runFixture } from './support.ts';
import { node20, node24, runOnce } from './thread-support.ts';

const register = '@loopwatch/instrumentation-event-loop/register';

describe('A worker of an application without an SDK inherits the preload when it is', () => {
  const ways = [
    ['started at once, with --import', 'at-once', { flags: ['--import', register] }, {}, node24],
    ['started later, with --require', '2000', { flags: ['--require', register] }, {}, node24],
    ['started later, with NODE_OPTIONS', '2000', {}, { NODE_OPTIONS: `--import ${register}` }, node20],
  ] as const;

  test.concurrent.each(ways.map(([label, ...rest]) => [label, describeCombination(rest[3]), ...rest] as const))(
    '%s (%s)',
    async (_label, __combination, start, flags, env, on) => {
      await using receiver = await otlpReceiver();
      const options = { preload: 'none', args: [start], env: { ...receiver.env, ...env }, ...flags } as const;
      const result = await runOnce(on, 'worker-plain-app.cjs', options);
      expectCleanExit(result);
      expect(result.stdout).toBe('exited with 0\n');
      expect(result.stderr).toBe('');
      expect(receiver.culprits).toContain('renderInWorker');
    },
  );
});

/** Values of a metric for the threads of that name, one for each collection. */
function series(result: RunResult, metric: string, threadName: string): number[] {
  return result.metrics
    .filter(({ name }) => name === metric)
    .flatMap(({ dataPoints }) => dataPoints)
    .filter(({ attributes }) => attributes[ATTR_THREAD_NAME] === threadName)
    .map(({ value }) => value as number);
}

describe('The metrics of worker threads that accumulate', () => {
  test.concurrent('count them by name, with their utilization, and fall to 0 when they end', async () => {
    const result = await runFixture(node24, 'worker-leak.cjs', { timeoutMs: 60_000 });
    expectCleanExit(result);
    const idle = 'rebalance-idle';
    const busy = 'rebalance-busy';
    expect(series(result, METRIC_EVENT_LOOP_THREADS, idle).slice(0, 4)).toEqual([1, 2, 3, 0]);
    expect(series(result, METRIC_EVENT_LOOP_THREADS, busy).slice(0, 4)).toEqual([1, 1, 1, 0]);

    const busyUtilization = series(result, METRIC_EVENT_LOOP_UTILIZATION, busy);
    const idleUtilization = series(result, METRIC_EVENT_LOOP_UTILIZATION, idle);
    expect(busyUtilization[2]).toBeGreaterThan(0.5);
    expect(idleUtilization[2]).toBeLessThan(busyUtilization[2]! / 2);

    const idleAges = series(result, METRIC_EVENT_LOOP_THREAD_IDLE_AGE, idle);
    expect(idleAges[2]).toBeGreaterThan(idleAges[1]!);
    expect(series(result, METRIC_EVENT_LOOP_THREAD_IDLE_AGE, busy)[2]).toBeLessThan(idleAges[2]!);
  });

  test.concurrent('count them as one group on Node 20, which has no thread names', async () => {
    const result = await runFixture(node20, 'worker-leak.cjs', { timeoutMs: 60_000 });
    expectCleanExit(result);
    expect(series(result, METRIC_EVENT_LOOP_THREADS, 'worker').slice(0, 4)).toEqual([2, 3, 4, 0]);
  });
});
