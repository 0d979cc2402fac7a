import { parentPort, workerData } from 'node:worker_threads';
import { sharedNow } from '../contract/clock.js';
import type { KnownCulprit, LivenessData, LivenessInput, LivenessOutput } from '../contract/liveness-data.js';
import { holdStandardDescriptors } from '../contract/standard-descriptors.js';
import { LivenessServer } from './liveness-server.js';

/**
 * Entry of the liveness thread, which the watchdog starts. It only answers: the watchdog finds out what the main thread
 * does.
 */

const data = workerData as LivenessData;
const blockedSince = new Float64Array(data.blockedSince);
let known: KnownCulprit | undefined;

const server = new LivenessServer(
  () => {
    const since = blockedSince[0] ?? 0;
    if (since === 0) return { blockedMs: 0 };
    const culprit = known?.blockedSince === since ? known.culprit : undefined;
    return { blockedMs: Math.max(0, sharedNow() - since), culprit };
  },
  send,
  () => {
    send('listens');
  },
);

function send(output: LivenessOutput): void {
  parentPort?.postMessage(output);
}

holdStandardDescriptors(); // for the sockets of requests, which arrive at any time
parentPort?.on('message', (input: LivenessInput) => {
  if ('settings' in input) server.setSettings(input.settings);
  else known = input;
});
server.setSettings(data.settings);
