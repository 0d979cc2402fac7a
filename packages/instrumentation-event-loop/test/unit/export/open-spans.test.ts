import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { OpenSpans } from '../../../src/export/open-spans.js';
import { delay, OpenSpansFixture } from '../support/open-spans-fixture.js';
import { spanContext } from '../support/tracing.js';

let { recorder, open, start } = new OpenSpansFixture();

beforeEach(() => {
  ({ recorder, open, start } = new OpenSpansFixture());
});

describe('who can be a victim', () => {
  test.each([
    ['a local root', SpanKind.INTERNAL],
    ['a server span', SpanKind.SERVER],
    ['a consumer span', SpanKind.CONSUMER],
    ['a client span that is a local root', SpanKind.CLIENT],
  ])('is %s', (_, kind) => {
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

describe('spans that nobody ends', () => {
  test('cost a bounded memory: the oldest are let go', () => {
    const spans = Array.from({ length: 10_050 }, (_, i) => start(`leaked ${i}`, SpanKind.SERVER).span);
    expect(open.size).toBe(10_000);
    expect(open.remove(spans.at(-1)!)?.span).toBe(spans.at(-1));
    expect(open.size).toBe(9999);
  });
});

test('a span that was never told of is none of ours', () => {
  expect(open.remove(recorder.tracer.startSpan('elsewhere'))).toBeUndefined();
});
