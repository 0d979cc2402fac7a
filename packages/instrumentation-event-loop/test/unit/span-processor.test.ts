import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import type { SpanProcessor } from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { threadOpenSpans } from '../../src/export/thread-open-spans.js';
import { EventLoopSpanProcessor } from '../../src/span-processor.js';
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

test('follows a request from its start to its end, and not what stands within it', () => {
  const request = recorder.tracer.startSpan('GET /', { kind: SpanKind.SERVER });
  const inner = recorder.tracer.startSpan('query', { kind: SpanKind.CLIENT }, trace.setSpan(ROOT_CONTEXT, request));
  expect(openCount()).toBe(1);
  inner.end();
  expect(openCount()).toBe(1);
  request.end();
  expect(openCount()).toBe(0);
});

test('charges a block to the spans that are open in it', () => {
  const request = recorder.tracer.startSpan('GET /', { kind: SpanKind.SERVER });
  const start = performance.now();
  for (const spans of threadOpenSpans)
    spans.attributeDelay({ start, end: start + 300, blockingSpans: new Set(), spanContext: undefined });
  request.end();
  expect(recorder.spans('GET /')[0]?.attributes['event_loop.blocked.wait_time']).toBeCloseTo(0.3, 6);
});

test('ten thousand requests leave nothing behind', () => {
  for (let i = 0; i < 10_000; i++) recorder.tracer.startSpan('GET /', { kind: SpanKind.SERVER }).end();
  expect(openCount()).toBe(0);
});

test('after a shutdown no block is charged to its spans any more', async () => {
  recorder.tracer.startSpan('GET /', { kind: SpanKind.SERVER });
  await processor.shutdown();
  expect(openCount()).toBe(0);
});

test('flushing without a monitor is no error', async () => {
  await expect(processor.forceFlush()).resolves.toBeUndefined();
});

test('a context or a span that throws harms neither who starts a span nor who ends it', () => {
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
