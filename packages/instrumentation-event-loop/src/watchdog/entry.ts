import { parentPort, workerData } from 'node:worker_threads';
import { Registry } from '../contract/registry.js';
import { WatchdogLoop } from './scan/watchdog-loop.js';
import type { HangDestination } from '../contract/model.js';
import { HangReporter } from './report/hang-reporter.js';

/**
 * Entry of the watchdog thread, and its composition root: what `instrumentation.ts` is for the application's threads.
 * Loads nothing but Node's own modules; bundled into the package as text.
 */

const { registryBuffer, probe, hangDestinations } = workerData as {
  registryBuffer: SharedArrayBuffer;
  probe: string;
  hangDestinations: readonly HangDestination[];
};

const reporter = new HangReporter();
reporter.setHangDestinations(hangDestinations);
parentPort?.on('message', (changed: readonly HangDestination[]) => {
  reporter.setHangDestinations(changed);
});

new WatchdogLoop(new Registry(registryBuffer), probe, {
  onStalled: (stall) => {
    reporter.stalled(stall);
  },
  onHang: (stall) => reporter.hang(stall),
  isBusy: () => reporter.isBusy,
}).start();
