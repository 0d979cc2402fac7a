import { ROOT_CONTEXT, SpanKind, trace, type Context, type Span } from '@opentelemetry/api';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { OpenSpans } from '../../../src/export/open-spans.js';
import { attributeDelayTo, blockingSpansOf, type Delay, type TrackedSpan } from '../../../src/export/tracked-span.js';
import { ATTR_BLOCKED_WAIT_TIME } from '../../../src/semconv.js';
import { Recorder, spanContext } from '../support/tracing.js';

const BLOCK_SPAN = spanContext(99);

let recorder: Recorder;
let open: OpenSpans;

beforeEach(() => {
  recorder = new Recorder();
  open = new OpenSpans();
});

/** Starts a span as the SDK does, and tells the processor's bookkeeping. */
function start(
  name: string,
  kind = SpanKind.INTERNAL,
  parent: Context = ROOT_CONTEXT,
): { span: Span; context: Context } {
  const span = recorder.tracer.startSpan(name, { kind }, parent);
  open.add(span, parent);
  return { span, context: trace.setSpan(parent, span) };
}

/** A block of everybody's whole life. */
function delay(overrides: Partial<Delay> = {}): Delay {
  return {
    start: performance.now(),
    end: performance.now() + 200,
    blockingSpans: new Set(),
    spanContext: BLOCK_SPAN,
    ...overrides,
  };
}

function waitOf({ span }: { span: Span }): unknown {
  span.end();
  const { spanId } = span.spanContext();
  return recorder.spans().find((ended) => ended.spanContext().spanId === spanId)?.attributes[ATTR_BLOCKED_WAIT_TIME];
}

describe('who can be a victim', () => {
  test.each([
    ['a local root', SpanKind.INTERNAL],
    ['a server span', SpanKind.SERVER],
    ['a consumer span', SpanKind.CONSUMER],
    ['a client span that is a local root', SpanKind.CLIENT],
  ])('%s', (_, kind) => {
    start('work', kind);
    expect(open.attributeDelay(delay()).victims).toBe(1);
  });

  test('not what stands within one: it is the request that waits', () => {
    const { context } = start('GET /', SpanKind.SERVER);
    start('query', SpanKind.CLIENT, context);
    start('render', SpanKind.INTERNAL, context);
    expect(open.attributeDelay(delay()).victims).toBe(1);
  });

  test('but a message that is consumed within another is one of its own', () => {
    const { context } = start('poll', SpanKind.INTERNAL);
    start('message', SpanKind.CONSUMER, context);
    expect(open.attributeDelay(delay()).victims).toBe(2);
  });

  test('a request of another process is, whatever its parent there', () => {
    start('GET /', SpanKind.SERVER, trace.setSpanContext(ROOT_CONTEXT, { ...spanContext(7), isRemote: true }));
    expect(open.attributeDelay(delay()).victims).toBe(1);
  });

  test.each(['event-loop-blocked', 'event-loop-hang'])('our own span %s is not', (name) => {
    start(name);
    expect(open.size).toBe(0);
  });

  test.each([0, 1, 2])('the others are, whichever of them ends (%i)', (ending) => {
    const spans = ['first', 'second', 'third'].map((name) => start(name, SpanKind.SERVER).span);
    open.remove(spans[ending]!);
    start('fourth', SpanKind.SERVER);
    expect(open.attributeDelay(delay()).victims).toBe(3);
    expect(open.remove(spans[ending]!)).toBeUndefined();
    expect(open.size).toBe(3);
  });

  test('one that another processor follows already is its alone', () => {
    const { span } = start('GET /', SpanKind.SERVER);
    const second = new OpenSpans();
    second.add(span, ROOT_CONTEXT);
    expect([open.size, second.size]).toEqual([1, 0]);
    expect(second.remove(span)).toBeUndefined();
    expect(open.remove(span)?.span).toBe(span);
    expect([open.size, second.size]).toEqual([0, 0]);
  });

  test('one that has ended is not', () => {
    const { span } = start('GET /', SpanKind.SERVER);
    expect(open.remove(span)?.span).toBe(span);
    expect(open.attributeDelay(delay())).toEqual({ victims: 0, waitMs: 0 });
  });
});

describe('the charge', () => {
  test('is the time of the block, in seconds, with a link to its span', () => {
    const victim = start('GET /', SpanKind.SERVER);
    const startedAt = Math.ceil(performance.now()); // a sum of whole numbers has no rounding error
    const total = open.attributeDelay(delay({ start: startedAt, end: startedAt + 250 }));
    expect(total).toEqual({ victims: 1, waitMs: 250 });
    expect(waitOf(victim)).toBeCloseTo(0.25, 6);
    expect(recorder.spans()[0]?.links.map(({ context }) => context)).toEqual([BLOCK_SPAN]);
  });

  test('is only what of the block came after the span had begun', () => {
    const before = performance.now();
    const victim = start('GET /', SpanKind.SERVER);
    const trackedSpan = open.remove(victim.span)!;
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

  test('is made without a link where the block has no span', () => {
    const victim = start('GET /', SpanKind.SERVER);
    open.attributeDelay(delay({ spanContext: undefined }));
    expect(waitOf(victim)).toBeGreaterThan(0.1);
    expect(recorder.spans()[0]?.links).toEqual([]);
  });

  test('is made on and on, but links are bounded', () => {
    const victim = start('GET /', SpanKind.SERVER);
    for (let i = 0; i < 100; i++) open.attributeDelay(delay());
    expect(waitOf(victim)).toBeGreaterThan(10);
    expect(recorder.spans()[0]?.links.length).toBeLessThanOrEqual(32);
  });

  test('is none for a block of before the span, or that ended as it began', () => {
    start('GET /', SpanKind.SERVER);
    const now = performance.now();
    expect(open.attributeDelay(delay({ start: now - 5000, end: now - 1000 }))).toEqual({ victims: 0, waitMs: 0 });
    const trackedSpan = open.remove(start('GET /2', SpanKind.SERVER).span)!;
    expect(attributeDelayTo(trackedSpan, delay({ start: 0, end: trackedSpan.startedAt + 0.9 }))).toBe(0);
  });
});

describe('whose own making a block is', () => {
  test('is not charged to the request whose code blocked', () => {
    const maker = start('GET /slow', SpanKind.SERVER);
    const victim = start('GET /quick', SpanKind.SERVER);
    const total = open.attributeDelay(delay({ blockingSpans: blockingSpansOf(maker.context) }));
    expect(total.victims).toBe(1);
    expect(waitOf(maker)).toBeUndefined();
    expect(waitOf(victim)).toBeGreaterThan(0);
  });

  test('nor to it when an inner span of it blocked', () => {
    const maker = start('GET /slow', SpanKind.SERVER);
    const inner = start('render', SpanKind.INTERNAL, maker.context);
    const innermost = start('template', SpanKind.INTERNAL, inner.context);
    expect(open.attributeDelay(delay({ blockingSpans: blockingSpansOf(innermost.context) })).victims).toBe(0);
  });

  test('nor to the outer ones of those it stands in', () => {
    const poll = start('poll', SpanKind.INTERNAL);
    const message = start('message', SpanKind.CONSUMER, poll.context);
    expect(open.attributeDelay(delay({ blockingSpans: blockingSpansOf(message.context) })).victims).toBe(0);
  });

  test('but to the other messages of the same poll', () => {
    const poll = start('poll', SpanKind.INTERNAL);
    const [maker] = [
      start('message 1', SpanKind.CONSUMER, poll.context),
      start('message 2', SpanKind.CONSUMER, poll.context),
    ];
    expect(open.attributeDelay(delay({ blockingSpans: blockingSpansOf(maker.context) })).victims).toBe(1);
  });

  test("is nobody's outside of any span", () => {
    expect(blockingSpansOf(ROOT_CONTEXT).size).toBe(0);
    expect(blockingSpansOf(trace.setSpanContext(ROOT_CONTEXT, spanContext(5))).size).toBe(0);
  });
});

describe('spans that nobody ends', () => {
  test('cost a bounded memory: the oldest are let go', () => {
    const owners: (TrackedSpan | undefined)[] = [];
    const spans = Array.from({ length: 10_050 }, (_, i) => start(`leaked ${i}`, SpanKind.SERVER).span);
    expect(open.size).toBe(10_000);
    owners.push(open.remove(spans.at(-1)!));
    expect(owners[0]?.span).toBe(spans.at(-1));
    expect(open.size).toBe(9999);
  });
});

test('a span that was never told of is none of ours', () => {
  expect(open.remove(recorder.tracer.startSpan('elsewhere'))).toBeUndefined();
});
