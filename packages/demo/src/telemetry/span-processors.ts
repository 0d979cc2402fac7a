import { EventLoopSpanProcessor } from '@loopwatch/instrumentation-event-loop';
import { getNumberFromEnv } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace';

/** Made here because a processor of ours stands among them; the environment is read as the SDK would. */
export function spanProcessors(): SpanProcessor[] {
  const scheduledDelayMillis = getNumberFromEnv('OTEL_BSP_SCHEDULE_DELAY');
  return [
    // First, because it writes into spans that are about to end.
    new EventLoopSpanProcessor(),
    new BatchSpanProcessor({
      exporter: new OTLPTraceExporter(),
      ...(scheduledDelayMillis !== undefined && { scheduledDelayMillis }),
    }),
  ];
}
