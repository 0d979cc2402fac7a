/**
 * Starts the OpenTelemetry SDK. `node --import ./dist/telemetry.mjs` loads this file before any other, and again in
 * each worker thread.
 *
 * It registers no ESM loader hook, because no instrumentation here needs one: Fastify and Mercurius are CommonJS, so
 * HTTP and GraphQL are patched when they `require` them. The instrumentations of Fastify, `fetch` and the event loop
 * need no module hook.
 */
import { isMainThread } from 'node:worker_threads';

// Set in the environment, because the SDK of each thread reads it there.
process.env['OTEL_SERVICE_NAME'] ??= 'loopwatch-demo';

const { sdk } = isMainThread
  ? await import('./telemetry/main-thread.js')
  : await import('./telemetry/worker-thread.js');
sdk.start();

/** Exports the remaining spans and metrics and stops the SDK. */
export async function shutdownTelemetry(): Promise<void> {
  await sdk.shutdown();
}
