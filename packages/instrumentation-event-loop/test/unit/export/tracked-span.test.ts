import { ROOT_CONTEXT, SpanKind, trace, type Context } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { OpenSpans } from '../../../src/export/open-spans.js';
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

describe('a span whose end is back-dated', () => {
  // The wall clock stands still: a host may take the CPU away between two readings.
  beforeEach(() => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Ends a span that waited for a block of 200 ms, as if it had ended before `agoMs`. */
  function endAgo(agoMs: number) {
    const victim = recorder.tracer.startSpan('job', { kind: SpanKind.CONSUMER, startTime: Date.now() - 10_000 });
    let now = 1000;
    const spans = new OpenSpans(() => now);
    spans.add(victim, ROOT_CONTEXT);
    spans.attributeDelay(delay({ start: 1000, end: 1200 }));
    now = 1300;
    const processor = { onEnding: () => spans.remove(victim) };
    // As the SDK does: the end time is set, then the processors are called.
    Object.assign(victim, { endTime: hrTimeOf(Date.now() - agoMs), _duration: hrTimeOf(10_000 - agoMs) });
    processor.onEnding();
    victim.end();
    return recorder.spans('job')[0]!;
  }

  function hrTimeOf(ms: number): [number, number] {
    return [Math.trunc(ms / 1000), (ms % 1000) * 1e6];
  }

  test('after the block has waited for all of it', () => {
    const span = endAgo(50);
    expect(span.attributes['event_loop.blocked.wait_time']).toBeCloseTo(0.2, 6);
    expect(span.links).toHaveLength(1);
  });

  test('within the block has waited until then', () => {
    const span = endAgo(200);
    expect(span.attributes['event_loop.blocked.wait_time']).toBeCloseTo(0.1, 6);
    expect(span.links).toHaveLength(1);
  });

  test('before the block has not waited for it, and has no link to it', () => {
    const span = endAgo(400);
    expect(span.attributes).not.toHaveProperty('event_loop.blocked.wait_time');
    expect(span.links).toEqual([]);
  });
});

test('a span that has ended holds no block and no other span', () => {
  const victim = start('GET /', SpanKind.SERVER);
  open.attributeDelay(delay());
  const trackedSpan = open.remove(victim.span)!;
  expect(trackedSpan.delays.every(({ delay: held }) => held === undefined)).toBe(true);
});
