import { trace, type Context } from '@opentelemetry/api';
import type { ContextInfo, ContextReader } from '../contract/context-reader.js';
import { SUPPRESS_TRACING } from './parent.js';
import { safely } from './safely.js';
import { trackedSpanOf } from './tracked-span.js';
import { isValidSpanContext } from './valid-span-context.js';

const NO_SPAN: ContextInfo = {
  request: undefined,
  span: '',
  startedAt: undefined,
  endedAt: undefined,
  isOfSdk: false,
};

/** What an instrumentation adds to the reading of contexts. */
interface ContextSource {
  readonly active: (isBlocked: boolean) => Context;
  /** Identifies the request of a context without a span; undefined where that is not known. */
  readonly requestKey: (context: Context) => unknown;
}

/** Reads OpenTelemetry contexts. A context that throws counts as one without a span. */
export function createContextReader({ active, requestKey }: ContextSource): ContextReader {
  return {
    active,
    infoOf: (context) =>
      context === undefined ? NO_SPAN : safely(() => readInfo(context as Context, requestKey), NO_SPAN),
    // A span that is not recorded, or that another process has started, says nothing about its end.
    hasOpenSpan: (context) => safely(() => trace.getSpan(context as Context)?.isRecording() === true, false),
  };
}

/**
 * A request is a tracked span with all spans within it. Without the span processor, it is the trace: the spans around a
 * span are not known.
 */
function readInfo(context: Context, requestKey: ContextSource['requestKey']): ContextInfo {
  const span = trace.getSpan(context);
  const spanContext = span?.spanContext();
  if (spanContext === undefined || !isValidSpanContext(spanContext)) {
    return { ...NO_SPAN, request: requestKey(context) };
  }
  const { traceId, spanId } = spanContext;
  const trackedSpan = trackedSpanOf(span);
  return {
    request: trackedSpan ?? traceId,
    span: `${traceId}:${spanId}`,
    startedAt: trackedSpan?.startedAt,
    endedAt: trackedSpan?.endedAt,
    isOfSdk: context.getValue(SUPPRESS_TRACING) === true,
  };
}
