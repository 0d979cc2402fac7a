import {
  ROOT_CONTEXT,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { ReadableSpan, Sampler, SpanProcessor } from '@opentelemetry/sdk-trace';
import { HeldSpans } from '../../../src/export/held-spans.js';

/** A span context whose ids are made from a number. */
export function spanContext(id: number, overrides: Partial<SpanContext> = {}): SpanContext {
  return {
    traceId: id.toString(16).padStart(32, '0'),
    spanId: id.toString(16).padStart(16, '0'),
    traceFlags: TraceFlags.SAMPLED,
    ...overrides,
  };
}

export function contextOf(of: SpanContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, of);
}

/** Ends spans at once: a queue that is full keeps its spans until a flush. */
export function heldSpans(): HeldSpans {
  return new HeldSpans(() => undefined);
}

/** A real SDK that exports to memory. */
export class Recorder {
  readonly #exporter = new InMemorySpanExporter();
  readonly provider: TracerProvider;
  readonly tracer: Tracer;

  constructor({ sampler, spanProcessors = [] }: { sampler?: Sampler; spanProcessors?: SpanProcessor[] } = {}) {
    this.provider = new TracerProvider({
      ...(sampler ? { sampler } : {}),
      spanProcessors: [...spanProcessors, new SimpleSpanProcessor({ exporter: this.#exporter })],
    });
    this.tracer = this.provider.getTracer('test');
  }

  spans(name?: string): ReadableSpan[] {
    return this.#exporter.getFinishedSpans().filter((span) => name === undefined || span.name === name);
  }
}

const throwing = (): never => {
  throw new Error('a throwing getter');
};
const brokenSpan = { spanContext: throwing } as unknown as Span;
/** Contexts that throw, and values that are no contexts. */
export const HOSTILE_CONTEXTS: readonly [string, unknown][] = [
  ['its getters throw', { getValue: throwing, setValue: throwing, deleteValue: throwing }],
  ['its span throws', trace.setSpan(ROOT_CONTEXT, brokenSpan)],
  ['it is no context', {}],
  ['it is a number', 7],
  ['it is a proxy whose traps throw', new Proxy({}, { get: throwing, has: throwing, getPrototypeOf: throwing })],
];
