import { ROOT_CONTEXT, SpanKind, trace, type Context } from '@opentelemetry/api';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { attributeDelayTo, blockingSpansOf, trackedSpanOf } from '../../../src/export/tracked-span.js';
import { BLOCK_SPAN, delay, OpenSpansFixture } from '../support/open-spans-fixture.js';
import { HOSTILE_CONTEXTS, spanContext } from '../support/tracing.js';

let { recorder, open, start, waitOf } = new OpenSpansFixture();

beforeEach(() => {
  ({ recorder, open, start, waitOf } = new OpenSpansFixture());
});

describe('the delay of a span', () => {
  test('is the time of the block, in seconds, with a link to its span', () => {
    const victim = start('GET /', SpanKind.SERVER);
    const startedAt = Math.ceil(performance.now()); // a sum of whole numbers has no rounding error
    const total = open.attributeDelay(delay({ start: startedAt, end: startedAt + 250 }));
    expect(total).toEqual({ victims: 1, waitMs: 250 });
    expect(waitOf(victim)).toBeCloseTo(0.25, 6);
    expect(recorder.spans()[0]?.links.map(({ context }) => context)).toEqual([BLOCK_SPAN]);
  });

  test('is only the part of the block after the span began', () => {
    const before = performance.now();
    const victim = start('GET /', SpanKind.SERVER);
    const trackedSpan = trackedSpanOf(victim.span)!;
    expect(
      attributeDelayTo(trackedSpan, delay({ start: before - 10_000, end: trackedSpan.startedAt + 100 })),
    ).toBeCloseTo(100, 6);
  });

  test('adds up over several blocks, and links them all', () => {
    const victim = start('GET /', SpanKind.SERVER);
    const from = performance.now();
    open.attributeDelay(delay({ start: from, end: from + 100, spanContext: spanContext(51) }));
    open.attributeDelay(delay({ start: from + 200, end: from + 350, spanContext: spanContext(52) }));
    expect(waitOf(victim)).toBeCloseTo(0.25, 6);
    expect(recorder.spans()[0]?.links).toHaveLength(2);
  });

  test('has no link where the block has no span', () => {
    const victim = start('GET /', SpanKind.SERVER);
    open.attributeDelay(delay({ spanContext: undefined }));
    expect(waitOf(victim)).toBeGreaterThan(0.1);
    expect(recorder.spans()[0]?.links).toEqual([]);
  });

  test('adds up without bound, but links are bounded', () => {
    const victim = start('GET /', SpanKind.SERVER);
    for (let i = 0; i < 100; i++) open.attributeDelay(delay());
    expect(waitOf(victim)).toBeGreaterThan(10);
    expect(recorder.spans()[0]?.links.length).toBeLessThanOrEqual(32);
  });

  test('is 0 for a block that ended before the span began, or as it began', () => {
    start('GET /', SpanKind.SERVER);
    const now = performance.now();
    expect(open.attributeDelay(delay({ start: now - 5000, end: now - 1000 }))).toEqual({ victims: 0, waitMs: 0 });
    const trackedSpan = open.remove(start('GET /2', SpanKind.SERVER).span)!;
    expect(attributeDelayTo(trackedSpan, delay({ start: 0, end: trackedSpan.startedAt + 0.9 }))).toBe(0);
  });
});

describe('the delay of a block', () => {
  test('is not attributed to the request whose code blocked', () => {
    const culprit = start('GET /slow', SpanKind.SERVER);
    const victim = start('GET /quick', SpanKind.SERVER);
    const total = open.attributeDelay(delay({ running: culprit.context }));
    expect(total.victims).toBe(1);
    expect(waitOf(culprit)).toBeUndefined();
    expect(waitOf(victim)).toBeGreaterThan(0);
  });

  test('is not attributed to the request when a span within it blocked', () => {
    const culprit = start('GET /slow', SpanKind.SERVER);
    const inner = start('render', SpanKind.INTERNAL, culprit.context);
    const innermost = start('template', SpanKind.INTERNAL, inner.context);
    expect(open.attributeDelay(delay({ running: innermost.context })).victims).toBe(0);
  });

  test('is not attributed to any span around the one that blocked', () => {
    const poll = start('poll', SpanKind.INTERNAL);
    const message = start('message', SpanKind.CONSUMER, poll.context);
    expect(open.attributeDelay(delay({ running: message.context })).victims).toBe(0);
  });

  test('is attributed to the other messages of the same poll', () => {
    const poll = start('poll', SpanKind.INTERNAL);
    const [culprit] = [
      start('message 1', SpanKind.CONSUMER, poll.context),
      start('message 2', SpanKind.CONSUMER, poll.context),
    ];
    expect(open.attributeDelay(delay({ running: culprit.context })).victims).toBe(1);
  });

  test('has no blocking span outside of any span', () => {
    expect(blockingSpansOf(ROOT_CONTEXT).size).toBe(0);
    expect(blockingSpansOf(trace.setSpanContext(ROOT_CONTEXT, spanContext(5))).size).toBe(0);
  });

  test.each(HOSTILE_CONTEXTS)('has no blocking span in a hostile context: %s', (_, context) => {
    expect(blockingSpansOf(context as Context).size).toBe(0);
  });
});
