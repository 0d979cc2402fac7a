import { INVALID_SPAN_CONTEXT, type Span, trace, type Tracer, type TracerProvider } from '@opentelemetry/api';

/*
 * The block hook receives a block as data, so the block's span is not needed. This provider returns non-recording spans,
 * and the program need not load an SDK.
 */

const tracer: Tracer = {
  startSpan: () => trace.wrapSpanContext(INVALID_SPAN_CONTEXT),
  startActiveSpan: (...args: unknown[]) => {
    const run = args.at(-1) as (span: Span) => unknown;
    return run(trace.wrapSpanContext(INVALID_SPAN_CONTEXT)) as never;
  },
};

export const nonRecordingTracerProvider: TracerProvider = { getTracer: () => tracer };
