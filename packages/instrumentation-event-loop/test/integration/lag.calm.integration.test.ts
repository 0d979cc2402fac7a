import { describe, expect, test } from '@jest/globals';
import { blockedSpans, durationMs, histogram, oldestAndNewest } from '@loopwatch/test-support';

import { ATTR_CODE_FUNCTION_NAME, METRIC_EVENT_LOOP_LAG } from '../../src/semconv.ts';
import { runFixture } from './support.ts';

// Both share the tests: what they show depends on neither. A job for one combination has them all.
const oldest = oldestAndNewest[0]!;
const newest = oldestAndNewest.at(-1)!;

describe('Time', () => {
  test.concurrent('event_loop.lag counts a long block in proportion to its length', async () => {
    const result = await runFixture(oldest, 'long-block.cjs');
    const { buckets, count } = histogram(result, METRIC_EVENT_LOOP_LAG)!;
    const above = (seconds: number): number =>
      buckets.counts.slice(buckets.boundaries.indexOf(seconds) + 1).reduce((sum, value) => sum + value, 0);
    // Half of the events that arrive in a block of 2 s wait longer than 1 s; the program lives for about 4.3 s.
    const blockSeconds = (result.truths[0]!.endNowMs - result.truths[0]!.startNowMs) / 1000;
    expect(buckets.boundaries).toContain(1);
    expect(above(1) / count).toBeGreaterThan(((blockSeconds - 1) / 4.8) * 0.9);
    expect(above(1) / count).toBeLessThan(((blockSeconds - 1) / 3.8) * 1.1);
  });

  test.concurrent('a wall clock that jumps changes no duration', async () => {
    const result = await runFixture(newest, 'clock-steps-back.cjs');
    // The wall clock cannot match spans to blocks here, so their order does.
    const durations = blockedSpans(result)
      .filter(({ attributes }) => attributes[ATTR_CODE_FUNCTION_NAME] === 'spin')
      .map(durationMs);
    expect(durations).toHaveLength(2);
    for (const [index, truth] of result.truths.entries()) {
      const ratio = durations[index]! / (truth.endNowMs - truth.startNowMs);
      expect(ratio).toBeGreaterThan(0.9);
      expect(ratio).toBeLessThan(1.3);
    }
    const lag = histogram(result, METRIC_EVENT_LOOP_LAG)!;
    const above1s = lag.buckets.counts.slice(lag.buckets.boundaries.indexOf(1) + 1);
    expect(above1s.every((value) => value === 0)).toBe(true);
  });
});
