import { parentPort, workerData } from 'node:worker_threads';
import { Registry } from '../contract/registry.js';
import { Watch } from './scan/watchdog-loop.js';
import type { Fallback } from '../contract/model.js';
import { HangReporter } from './report/hang-reporter.js';

/**
 * Entry of the watchdog thread, and its composition root: what `instrumentation.ts` is for the application's threads.
 * Loads nothing but Node's own modules; bundled into the package as text.
 */

const { registryBuffer, probe, fallbacks } = workerData as {
  registryBuffer: SharedArrayBuffer;
  probe: string;
  fallbacks: readonly Fallback[];
};

const reporter = new HangReporter();
reporter.setFallbacks(fallbacks);
parentPort?.on('message', (changed: readonly Fallback[]) => {
  reporter.setFallbacks(changed);
});

new Watch(new Registry(registryBuffer), probe, {
  onStalled: (stall) => {
    reporter.stalled(stall);
  },
  onHang: (stall) => reporter.hang(stall),
  isBusy: () => reporter.isBusy,
}).start();
