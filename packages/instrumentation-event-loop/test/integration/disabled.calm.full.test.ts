import { describe, expect, test } from '@jest/globals';
import { histogram, oldestAndNewest } from '@loopwatch/test-support';
import type { Combination, RunResult } from '@loopwatch/test-support';

import { METRIC_EVENT_LOOP_BLOCKED_DURATION } from '../../src/semconv.ts';
import { runFixture, spansOfBlocks } from './support.ts';

interface Counts {
  readonly WORKER: number;
  readonly Timeout: number;
  readonly Immediate: number;
}

const countsOf = (result: RunResult): Counts => result.notes.get('counts') as Counts;

// Both share the tests: what they show depends on neither. A job for one combination has them all.
const oldest = oldestAndNewest[0]!;
const newest = oldestAndNewest.at(-1)!;

describe('What is switched on and off', () => {
  const countOn =
    (combination: Combination) =>
    async (telemetry: Record<string, unknown>, env: Record<string, string> = {}): Promise<Counts> =>
      countsOf(await runFixture(combination, 'count-resources.cjs', { preload: 'none', telemetry, env }));

  test.concurrent('the enabled instrumentation starts one thread and its timers', async () => {
    const count = countOn(oldest);
    const [enabled, absent] = [await count({}), await count({ instrumentation: false })];
    expect(enabled.WORKER - absent.WORKER).toBe(1);
    expect(enabled.Immediate).toBeGreaterThan(absent.Immediate);
  });

  test.concurrent('enabled: false starts no thread and no timer', async () => {
    const count = countOn(newest);
    const disabled = await count({ instrumentation: { enabled: false } });
    expect(disabled).toEqual(await count({ instrumentation: false }));
  });

  test.concurrent('OTEL_SDK_DISABLED=true starts no thread and no timer', async () => {
    const count = countOn(oldest);
    const env = { OTEL_SDK_DISABLED: 'true' };
    expect(await count({}, env)).toEqual(await count({ instrumentation: false }, env));
  });

  test.concurrent('watchdog: false starts no thread', async () => {
    const count = countOn(newest);
    const [without, absent] = [
      await count({ instrumentation: { watchdog: false } }),
      await count({ instrumentation: false }),
    ];
    expect(without.WORKER).toBe(absent.WORKER);
  });

  test.concurrent('disable() stops the detection and enable() starts it again', async () => {
    const result = await runFixture(oldest, 'toggle.cjs', { preload: 'none' });
    expect(spansOfBlocks(result)).toHaveLength(2);
    expect(histogram(result, METRIC_EVENT_LOOP_BLOCKED_DURATION)?.count).toBe(2);
  });
});
