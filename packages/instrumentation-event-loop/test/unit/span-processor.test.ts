import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import type { SpanProcessor } from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { threadOpenSpans } from '../../src/export/thread-open-spans.js';
import { EventLoopSpanProcessor } from '../../src/span-processor.js';
import { delay } from './support/open-spans-fixture.js';
import { Recorder } from './support/tracing.js';

let processor: EventLoopSpanProcessor;
let recorder: Recorder;

beforeEach(() => {
  processor = new EventLoopSpanProcessor();
  recorder = new Recorder({ spanProcessors: [processor satisfies SpanProcessor] });
});

afterEach(async () => {
  await processor.shutdown();
});

function openCount(): number {
  return [...threadOpenSpans].reduce((sum, { size }) => sum + size, 0);
}

test('the processor tracks a request from its start to its end, and not the spans within it', () => {
  const request = recorder.tracer.startSpan('GET /', { kind: SpanKind.SERVER });
  const inner = recorder.tracer.startSpan('query', { kind: SpanKind.CLIENT }, trace.setSpan(ROOT_CONTEXT, request));
  expect(openCount()).toBe(1);
  inner.end();
  expect(openCount()).toBe(1);
  request.end();
  expect(openCount()).toBe(0);
});

test('a span that has ended is not open any more, where the SDK calls no onEnding', () => {
  const request = recorder.tracer.startSpan('GET /', { kind: SpanKind.SERVER });
  processor.onEnd(request);
  expect(openCount()).toBe(0);
  expect(recorder.spans('GET /')).toEqual([]);
});

test('the delay of a block is attributed to the open spans', () => {
  const request = recorder.tracer.startSpan('GET /', { kind: SpanKind.SERVER });
  const start = performance.now();
  for (const spans of threadOpenSpans) spans.attributeDelay(delay({ start, end: start + 300, spanContext: undefined }));
  request.end();
  expect(recorder.spans('GET /')[0]?.attributes['event_loop.blocked.wait_time']).toBeCloseTo(0.3, 6);
});

test('ten thousand requests leave no open span', () => {
  for (let i = 0; i < 10_000; i++) recorder.tracer.startSpan('GET /', { kind: SpanKind.SERVER }).end();
  expect(openCount()).toBe(0);
});

test('a shutdown stops tracking the open spans', async () => {
  recorder.tracer.startSpan('GET /', { kind: SpanKind.SERVER });
  await processor.shutdown();
  expect(openCount()).toBe(0);
});

test('forceFlush without a monitor resolves', async () => {
  await expect(processor.forceFlush()).resolves.toBeUndefined();
});

test('a context or span that throws does not make the start or the end of a span throw', () => {
  const throwing = (): never => {
    throw new Error('a throwing getter');
  };
  const span = recorder.tracer.startSpan('GET /', { kind: SpanKind.SERVER });
  const hostile = new Proxy(span, { get: throwing, set: throwing });
  expect(() => {
    processor.onStart(span, { getValue: throwing } as unknown as Parameters<typeof processor.onStart>[1]);
    processor.onStart(hostile, ROOT_CONTEXT);
    processor.onEnding(hostile);
  }).not.toThrow();
});
