import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { OpenSpans } from '../../../src/export/open-spans.js';
import { delay, OpenSpansFixture } from '../support/open-spans-fixture.js';
import { spanContext } from '../support/tracing.js';

let { recorder, open, start } = new OpenSpansFixture();

beforeEach(() => {
  ({ recorder, open, start } = new OpenSpansFixture());
});

describe('a victim', () => {
  test.each([
    ['a local root', SpanKind.INTERNAL],
    ['a server span', SpanKind.SERVER],
    ['a consumer span', SpanKind.CONSUMER],
    ['a client span that is a local root', SpanKind.CLIENT],
  ])('is %s', (_, kind) => {
    start('work', kind);
    expect(open.attributeDelay(delay()).victims).toBe(1);
  });

  test('is the request, not a span within it', () => {
    const { context } = start('GET /', SpanKind.SERVER);
    start('query', SpanKind.CLIENT, context);
    start('render', SpanKind.INTERNAL, context);
    expect(open.attributeDelay(delay()).victims).toBe(1);
  });

  test('is also a message that is consumed within another span', () => {
    const { context } = start('poll', SpanKind.INTERNAL);
    start('message', SpanKind.CONSUMER, context);
    expect(open.attributeDelay(delay()).victims).toBe(2);
  });

  test('is a request whose parent is in another process', () => {
    start('GET /', SpanKind.SERVER, trace.setSpanContext(ROOT_CONTEXT, { ...spanContext(7), isRemote: true }));
    expect(open.attributeDelay(delay()).victims).toBe(1);
  });

  test.each(['event-loop-blocked', 'event-loop-hang'])('is never a span of the instrumentation: %s', (name) => {
    start(name);
    expect(open.size).toBe(0);
  });

  test.each([0, 1, 2])('is every span that is still open, whichever span has ended (%i)', (ending) => {
    const spans = ['first', 'second', 'third'].map((name) => start(name, SpanKind.SERVER).span);
    open.remove(spans[ending]!);
    start('fourth', SpanKind.SERVER);
    expect(open.attributeDelay(delay()).victims).toBe(3);
    expect(open.remove(spans[ending]!)).toBeUndefined();
    expect(open.size).toBe(3);
  });

  test('is tracked by the first of two processors only', () => {
    const { span } = start('GET /', SpanKind.SERVER);
    const second = new OpenSpans();
    second.add(span, ROOT_CONTEXT);
    expect([open.size, second.size]).toEqual([1, 0]);
    expect(second.remove(span)).toBeUndefined();
    expect(open.remove(span)?.span).toBe(span);
    expect([open.size, second.size]).toEqual([0, 0]);
  });

  test('is no span that has ended', () => {
    const { span } = start('GET /', SpanKind.SERVER);
    expect(open.remove(span)?.span).toBe(span);
    expect(open.attributeDelay(delay())).toEqual({ victims: 0, waitMs: 0 });
  });
});

describe('spans that never end', () => {
  test('take bounded memory: the oldest are evicted first', () => {
    const spans = Array.from({ length: 10_050 }, (_, i) => start(`leaked ${i}`, SpanKind.SERVER).span);
    expect(open.size).toBe(10_000);
    expect(open.remove(spans.at(-1)!)?.span).toBe(spans.at(-1));
    expect(open.size).toBe(9999);
  });
});

test('removing a span that was never added returns nothing', () => {
  expect(open.remove(recorder.tracer.startSpan('elsewhere'))).toBeUndefined();
});
