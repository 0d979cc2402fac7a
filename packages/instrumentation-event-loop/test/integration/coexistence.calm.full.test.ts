import { describe, expect, test } from '@jest/globals';
import { histogram, oldestAndNewest } from '@loopwatch/test-support';
import type { HistogramValue } from '@loopwatch/test-support';

import {
  ATTR_CODE_FUNCTION_NAME,
  METRIC_EVENT_LOOP_BLOCKED_DURATION,
  METRIC_EVENT_LOOP_LAG,
} from '../../src/semconv.ts';
import { expectCleanExit, runFixture, spansOfBlocks } from './support.ts';

// Both share the tests: what they show depends on neither. A job for one combination has them all.
const oldest = oldestAndNewest[0]!;
const newest = oldestAndNewest.at(-1)!;

/** At half of the default threshold, and as early as a timer fires. */
const SHORTEST_BEAT_MS = 50 - 1;

describe('Beside other code', () => {
  test.concurrent('two copies of the package and three instances report a block once', async () => {
    const result = await runFixture(oldest, 'two-formats.mjs', { preload: 'none' });
    expectCleanExit(result);
    expect(spansOfBlocks(result)).toHaveLength(1);
    // By its function: a host that takes the CPU away makes other blocks.
    const counts = result.metrics
      .filter(({ name }) => name === METRIC_EVENT_LOOP_BLOCKED_DURATION)
      .flatMap(({ dataPoints }) => dataPoints)
      .filter(({ attributes }) => attributes[ATTR_CODE_FUNCTION_NAME] === 'revealingFunctionName')
      .map(({ value }) => (value as HistogramValue).count);
    expect(counts).toEqual([1]);
    // Each lag stands for an interval of the heartbeat: one instance cannot have more than fit into the time, on any host.
    const intervals = Number(result.notes.get('instrumentedMs')) / SHORTEST_BEAT_MS;
    expect(histogram(result, METRIC_EVENT_LOOP_LAG)!.count).toBeLessThanOrEqual(intervals);
  });

  test.concurrent(
    'the timers of the instrumentation do not retain the stores that were active when it was enabled',
    async () => {
      const result = await runFixture(newest, 'context-kept.cjs', { preload: 'none', flags: ['--expose-gc'] });
      expectCleanExit(result);
      expect(spansOfBlocks(result)).toHaveLength(1);
      expect(result.notes.get('kept')).toEqual({ store: false, value: false });
    },
  );

  test.concurrent('a block right before the shutdown of the SDK is reported', async () => {
    const result = await runFixture(oldest, 'shutdown-after-block.cjs', { preload: 'none' });
    expectCleanExit(result);
    expect(spansOfBlocks(result)).toHaveLength(1);
  });

  test.concurrent('a flush at the end of the callback that blocks exports that block', async () => {
    const result = await runFixture(newest, 'flush-in-block.cjs', { preload: 'none' });
    expectCleanExit(result);
    const spans = spansOfBlocks(result);
    expect(spans.map(({ attributes }) => attributes[ATTR_CODE_FUNCTION_NAME])).toEqual(['spin']);
    expect(spans[0]!.parentSpanId).toBe(result.truths[0]!.spanId);
  });
});
