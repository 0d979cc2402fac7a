import { context as contextApi, trace, type Context } from '@opentelemetry/api';
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

/** Reads OpenTelemetry contexts. A context that throws counts as one without a span. */
export const contextReader: ContextReader = {
  active: () => contextApi.active(),
  infoOf: (context) => (context === undefined ? NO_SPAN : safely(() => readInfo(context as Context), NO_SPAN)),
  // A span that is not recorded, or that another process has started, says nothing about its end.
  hasOpenSpan: (context) => safely(() => trace.getSpan(context as Context)?.isRecording() === true, false),
};

/**
 * A request is a tracked span with all spans within it. Without the span processor, it is the trace: the spans around a
 * span are not known.
 */
function readInfo(context: Context): ContextInfo {
  const span = trace.getSpan(context);
  const spanContext = span?.spanContext();
  if (spanContext === undefined || !isValidSpanContext(spanContext)) return NO_SPAN;
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
