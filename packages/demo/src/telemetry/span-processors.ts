import { EventLoopSpanProcessor } from '@loopwatch/instrumentation-event-loop';
import { getNumberFromEnv } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace';

/** Span processors of both SDKs. The SDK applies OTEL_BSP_SCHEDULE_DELAY only to processors that it creates itself. */
export function spanProcessors(): SpanProcessor[] {
  const scheduledDelayMillis = getNumberFromEnv('OTEL_BSP_SCHEDULE_DELAY');
  return [
    // First, because it adds attributes to ending spans, before the next processor exports them.
    new EventLoopSpanProcessor(),
    new BatchSpanProcessor({
      exporter: new OTLPTraceExporter(),
      ...(scheduledDelayMillis !== undefined && { scheduledDelayMillis }),
    }),
  ];
}
