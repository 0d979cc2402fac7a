import { describe, expect, test } from '@jest/globals';
import { blockedSpans, durationMs, histogram, oldestAndNewest } from '@loopwatch/test-support';

import { ATTR_CODE_FUNCTION_NAME, METRIC_EVENT_LOOP_LAG } from '../../src/semconv.ts';
import { runFixture } from './support.ts';

// Both share the tests: what they show depends on neither. A job for one combination has them all.
const oldest = oldestAndNewest[0]!;
const newest = oldestAndNewest.at(-1)!;

/** At half of the default threshold. */
const HEARTBEATS_PER_SECOND = 20;

describe('Time', () => {
  test.concurrent('event_loop.lag counts a long block in proportion to its length', async () => {
    const result = await runFixture(oldest, 'long-block.cjs');
    const { buckets, count } = histogram(result, METRIC_EVENT_LOOP_LAG)!;
    const above = (seconds: number): number =>
      buckets.counts.slice(buckets.boundaries.indexOf(seconds) + 1).reduce((sum, value) => sum + value, 0);
    // Of the events that arrive with each heartbeat, those wait for longer than 1 s that come a second before its end.
    const blockSeconds = (result.truths[0]!.endNowMs - result.truths[0]!.startNowMs) / 1000;
    const heartbeats = (blockSeconds - 1) * HEARTBEATS_PER_SECOND;
    expect(buckets.boundaries).toContain(1);
    expect(above(1)).toBeGreaterThan(heartbeats * 0.9);
    expect(above(1)).toBeLessThan(heartbeats * 1.1);
    // The rest of the time is counted as often, and no more.
    const livedSeconds = Number(result.notes.get('livedMs')) / 1000;
    expect(count / livedSeconds).toBeGreaterThan(HEARTBEATS_PER_SECOND * 0.8);
    expect(count / livedSeconds).toBeLessThan(HEARTBEATS_PER_SECOND * 1.1);
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
    // A lag of the hour would be above the last boundary. A host that takes the CPU away makes none of these.
    const { boundaries, counts } = histogram(result, METRIC_EVENT_LOOP_LAG)!.buckets;
    expect(boundaries.at(-1)).toBeLessThan(3600);
    expect(counts.at(-1)).toBe(0);
  });
});
