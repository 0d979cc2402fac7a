import { getNumberFromEnv } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace';

/** Made here because a processor of ours stands among them; the environment is read as the SDK would. */
export function spanProcessors(): SpanProcessor[] {
  const scheduledDelayMillis = getNumberFromEnv('OTEL_BSP_SCHEDULE_DELAY');
  return [
    new BatchSpanProcessor({
      exporter: new OTLPTraceExporter(),
      ...(scheduledDelayMillis !== undefined && { scheduledDelayMillis }),
    }),
  ];
}
