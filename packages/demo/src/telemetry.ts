/**
 * OpenTelemetry, loaded before anything else by `node --import ./dist/telemetry.mjs`, and again in each worker thread.
 *
 * No ESM loader hook is registered, because nothing here needs one: HTTP and GraphQL are patched where Fastify and
 * Mercurius, both CommonJS, `require` them; Fastify, `fetch` and ours need no patching at all.
 */
import { isMainThread } from 'node:worker_threads';

// In the environment rather than in code, so that the SDKs of all threads read the same.
process.env['OTEL_SERVICE_NAME'] ??= 'loopwatch-demo';

const { sdk } = isMainThread
  ? await import('./telemetry/main-thread.js')
  : await import('./telemetry/worker-thread.js');
sdk.start();

/** Sends what is still held back. */
export async function shutdownTelemetry(): Promise<void> {
  await sdk.shutdown();
}
