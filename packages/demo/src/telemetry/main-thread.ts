import { FastifyOtelInstrumentation } from '@fastify/otel';
import { EventLoopInstrumentation } from '@loopwatch/instrumentation-event-loop';
import { getNodeAutoInstrumentations } from '@opentelemetry/auto-instrumentations-node';
import { RuntimeNodeInstrumentation } from '@opentelemetry/instrumentation-runtime-node';
import { NodeSDK } from '@opentelemetry/sdk-node';

import { spanProcessors } from './span-processors.js';

process.env['OTEL_NODE_ENABLED_INSTRUMENTATIONS'] ??= 'http,undici,graphql';

/** SDK of the main thread: requests, GraphQL, the runtime and the event loop. */
export const sdk = new NodeSDK({
  instrumentations: [
    getNodeAutoInstrumentations({
      // One span for all items of a list: a page of 300 runs would otherwise make 300 spans.
      '@opentelemetry/instrumentation-graphql': { mergeItems: true, ignoreTrivialResolveSpans: true },
    }),
    new FastifyOtelInstrumentation({ registerOnInitialization: true, instrumentHooks: false }),
    new RuntimeNodeInstrumentation(),
    new EventLoopInstrumentation(),
  ],
  spanProcessors: spanProcessors(),
  // No metric reader here: by default the SDK exports metrics by OTLP/HTTP and reads OTEL_METRIC_EXPORT_INTERVAL.
});
