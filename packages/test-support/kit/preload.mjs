// node --import kit/preload.mjs program
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const { startTelemetry, optionsOfRun } = await import('./telemetry.mjs');
  const options = optionsOfRun();
  if (options.http) register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
  startTelemetry(options);
}
