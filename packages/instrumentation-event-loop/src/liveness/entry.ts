import { parentPort, workerData } from 'node:worker_threads';
import { sharedNow } from '../contract/clock.js';
import type { KnownCulprit, LivenessData, LivenessInput, LivenessOutput } from '../contract/liveness-data.js';
import { Slots } from '../contract/slots.js';
import { LivenessServer } from './liveness-server.js';
import { blockedSince, mainThreadTick } from './main-thread.js';

/** Entry of the liveness thread, which the watchdog starts. It only answers: the watchdog looks at the main thread. */

const data = workerData as LivenessData;
const slots = new Slots(data.registryBuffer);
const seen = new Float64Array(data.seen);
let known: KnownCulprit | undefined;

const server = new LivenessServer(
  () => {
    const now = sharedNow();
    const since = blockedSince(seen, mainThreadTick(slots), now);
    if (since === undefined) return { blockedMs: 0 };
    const culprit = known?.blockedSince === since ? known.culprit : undefined;
    return { blockedMs: Math.max(0, now - since), culprit };
  },
  send,
  () => {
    send('listens');
  },
);

function send(output: LivenessOutput): void {
  parentPort?.postMessage(output);
}

parentPort?.on('message', (input: LivenessInput) => {
  if ('settings' in input) server.setSettings(input.settings);
  else known = input;
});
server.setSettings(data.settings);
