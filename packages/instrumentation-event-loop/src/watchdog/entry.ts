import { parentPort, workerData } from 'node:worker_threads';
import { Registry } from '../contract/registry.js';
import type { WatchdogData, WatchdogMessage, WatchdogSettings } from '../contract/watchdog-data.js';
import { LivenessThread } from './liveness-thread.js';
import { HangReporter } from './report/hang-reporter.js';
import { WatchdogLoop } from './scan/watchdog-loop.js';

/**
 * Entry and composition root of the watchdog thread: what `instrumentation.ts` is for the application's threads. The
 * build bundles it into the package as a string; the bundle imports only Node's own modules.
 */

const { registryBuffer, settings, livenessSource } = workerData as WatchdogData;

let { noticesHangs } = settings;
const reporter = new HangReporter();
const liveness = new LivenessThread(livenessSource, registryBuffer, send);
const loop = new WatchdogLoop(new Registry(registryBuffer), {
  onStalled: (thread) => {
    reporter.stalled(thread);
  },
  onLength: (thread) => {
    reporter.lengthSoFar(thread);
  },
  onSoFar: (thread) => {
    reporter.blockSoFar(thread);
  },
  onHang: (thread) => {
    if (noticesHangs) send(reporter.noticeOf(thread));
    return reporter.hang(thread);
  },
  isBusy: () => reporter.isBusy || liveness.isStarting,
  onLook: () => {
    if (liveness.isOn) liveness.setBlock(loop.mainThreadBlock());
  },
});

function send(message: WatchdogMessage): void {
  parentPort?.postMessage(message);
}

function apply({ hangDestinations, liveness: livenessSettings, ...rest }: WatchdogSettings): void {
  ({ noticesHangs } = rest);
  reporter.setHangDestinations(hangDestinations);
  liveness.setSettings(livenessSettings);
}

apply(settings);
parentPort?.on('message', apply);
loop.start();
