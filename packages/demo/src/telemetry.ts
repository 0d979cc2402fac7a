/**
 * OpenTelemetry, loaded before anything else by `node --import ./dist/telemetry.mjs`.
 *
 * No ESM loader hook is registered, because nothing here needs one: HTTP and GraphQL are patched where Fastify and
 * Mercurius, both CommonJS, `require` them; Fastify, `fetch` and ours need no patching at all.
 */
import { FastifyOtelInstrumentation } from '@fastify/otel';
import { EventLoopInstrumentation, EventLoopSpanProcessor } from '@loopwatch/instrumentation-event-loop';
import { getNodeAutoInstrumentations } from '@opentelemetry/auto-instrumentations-node';
import { getNumberFromEnv } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { RuntimeNodeInstrumentation } from '@opentelemetry/instrumentation-runtime-node';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace';

// In the environment rather than in code, so that worker threads and the watchdog read the same.
process.env['OTEL_SERVICE_NAME'] ??= 'loopwatch-demo';
process.env['OTEL_NODE_ENABLED_INSTRUMENTATIONS'] ??= 'http,undici,graphql';

const scheduledDelayMillis = getNumberFromEnv('OTEL_BSP_SCHEDULE_DELAY');

const sdk = new NodeSDK({
  instrumentations: [
    getNodeAutoInstrumentations({
      // One span for all items of a list: a page of 300 runs is one resolver, not 300.
      '@opentelemetry/instrumentation-graphql': { mergeItems: true, ignoreTrivialResolveSpans: true },
    }),
    new FastifyOtelInstrumentation({ registerOnInitialization: true, instrumentHooks: false }),
    new RuntimeNodeInstrumentation(),
    new EventLoopInstrumentation(),
  ],
  spanProcessors: [
    new EventLoopSpanProcessor(),
    new BatchSpanProcessor({
      exporter: new OTLPTraceExporter(),
      // Processors made in code read no environment by themselves.
      ...(scheduledDelayMillis !== undefined && { scheduledDelayMillis }),
    }),
  ],
  // Metrics need no code: the SDK exports them by OTLP/HTTP and reads OTEL_METRIC_EXPORT_INTERVAL.
});
sdk.start();

/** Sends what is still held back. */
export async function shutdownTelemetry(): Promise<void> {
  await sdk.shutdown();
}
