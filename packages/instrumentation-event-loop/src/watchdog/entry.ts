import { parentPort, workerData } from 'node:worker_threads';
import type { HangDestination } from '../contract/hang-report.js';
import { Registry } from '../contract/registry.js';
import type { WatchdogData } from '../contract/watchdog-data.js';
import { HangReporter } from './report/hang-reporter.js';
import { WatchdogLoop } from './scan/watchdog-loop.js';

/**
 * Entry and composition root of the watchdog thread: what `instrumentation.ts` is for the application's threads. The
 * build bundles it into the package as a string; the bundle imports only Node's own modules.
 */

const { registryBuffer, hangDestinations } = workerData as WatchdogData;

const reporter = new HangReporter();
reporter.setHangDestinations(hangDestinations);
parentPort?.on('message', (changed: readonly HangDestination[]) => {
  reporter.setHangDestinations(changed);
});

new WatchdogLoop(new Registry(registryBuffer), {
  onStalled: (thread) => {
    reporter.stalled(thread);
  },
  onHang: (thread) => reporter.hang(thread),
  isBusy: () => reporter.isBusy,
}).start();
