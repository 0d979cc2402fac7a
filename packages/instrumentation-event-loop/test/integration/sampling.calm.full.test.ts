import { describe, expect, test } from '@jest/globals';
import { histogram, oldestAndNewest } from '@loopwatch/test-support';

import { METRIC_EVENT_LOOP_BLOCKED_DURATION } from '../../src/semconv.ts';
import { runFixture, spansOfBlocks } from './support.ts';

// Both share the tests: what they show depends on neither. A job for one combination has them all.
const oldest = oldestAndNewest[0]!;
const newest = oldestAndNewest.at(-1)!;

describe('Where spans are sampled', () => {
  test.concurrent('under an unsampled parent, the block span is a root span with a link to that parent', async () => {
    const [span, ...others] = spansOfBlocks(await runFixture(oldest, 'remote-unsampled-parent.cjs'));
    expect(others).toEqual([]);
    expect(span?.parentSpanId).toBeUndefined();
    expect(span?.traceId).not.toBe('0af7651916cd43dd8448eb211c80319c');
    expect(span?.links).toEqual([
      expect.objectContaining({ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }),
    ]);
  });

  test.concurrent('EventLoopSampler keeps the block span of a trace that the wrapped sampler drops', async () => {
    const result = await runFixture(newest, 'one-block.cjs', { telemetry: { sampler: 'off-but-blocks' } });
    const [truth] = result.truths;
    expect(result.spans.filter(({ name }) => name !== 'event-loop-blocked')).toEqual([]);
    const [span, ...others] = spansOfBlocks(result);
    expect(others).toEqual([]);
    expect(span?.parentSpanId).toBeUndefined();
    expect(span?.links.map(({ spanId }) => spanId)).toEqual([truth?.spanId]);
  });

  test.concurrent('a sampler that drops every span leaves the metrics', async () => {
    const result = await runFixture(oldest, 'one-block.cjs', { telemetry: { sampler: 'off' } });
    expect(result.spans).toEqual([]);
    expect(histogram(result, METRIC_EVENT_LOOP_BLOCKED_DURATION)?.count).toBe(1);
  });

  test.concurrent('a block in two contexts is a child of the longer one and has a link to the other', async () => {
    const result = await runFixture(newest, 'two-contexts.cjs');
    const byName = new Map(result.spans.map((span) => [span.name, span]));
    const spans = spansOfBlocks(result);
    const span = spans.find(({ parentSpanId }) => parentSpanId === byName.get('major')?.spanId);
    expect(spans).toHaveLength(1);
    expect(span?.links.map(({ spanId }) => spanId)).toEqual([byName.get('minor')?.spanId]);
  });
});
