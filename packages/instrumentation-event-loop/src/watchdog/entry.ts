import process from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';
import { sharedNow } from '../contract/clock.js';
import { MapMailboxes } from '../contract/map-mailboxes.js';
import { SlotTime } from '../contract/registry-layout.js';
import { Registry } from '../contract/registry.js';
import { ownThreadTimes } from '../contract/thread-times.js';
import type { WatchdogData, WatchdogMessage, WatchdogSettings } from '../contract/watchdog-data.js';
import { LivenessThread } from './liveness-thread.js';
import { isJest, jestCacheDirectory } from './maps/jest-cache.js';
import { MapService } from './maps/map-service.js';
import { PoolMemory } from './pool/pool-memory.js';
import { askPool } from './pool/pool-probe.js';
import { PoolThreads } from './pool/pool-threads.js';
import { PoolWatch } from './pool/pool-watch.js';
import { HangReporter } from './report/hang-reporter.js';
import { WatchdogLoop, type WatchdogObserver } from './scan/watchdog-loop.js';

/**
 * Entry and composition root of the watchdog thread: what `instrumentation.ts` is for the application's threads. The
 * build bundles it into the package as a string; the bundle imports only Node's own modules.
 */

const { registryBuffer, settings, livenessSource, script, poolBuffer } = workerData as WatchdogData;
const registry = new Registry(registryBuffer);

let { noticesHangs } = settings;
const reporter = new HangReporter((undelivered) => {
  send({ undelivered });
});
const liveness = new LivenessThread(livenessSource, registryBuffer, send);
const poolThreads = new PoolThreads();
const poolMemory = new PoolMemory(poolBuffer);
const ownTimes = ownThreadTimes();
const pool = new PoolWatch({
  threads: poolThreads,
  ask: askPool,
  now: sharedNow,
  runQueueMs: () => ownTimes.read()?.runQueueMs,
  isActive: (since) => [...registry.live()].some((slot) => slot.getTime(SlotTime.tickAt) > since),
  onWait: (wait) => {
    poolMemory.addWait(wait);
  },
  onBusyShare: (share) => {
    poolMemory.addBusyShare(share);
  },
  send,
});
const maps = new MapService({
  mailboxes: new MapMailboxes(registryBuffer),
  isLive: (slotIndex, generation) => registry.slot(slotIndex).isLive(generation),
  now: sharedNow,
  startedAtMs: Date.now() - process.uptime() * 1000,
  jestCache: isJest(script) ? jestCacheDirectory() : undefined,
  defer: setImmediate,
});
const observer: WatchdogObserver = {
  onStalled: (thread) => {
    reporter.stalled(thread);
  },
  onLength: (thread) => {
    reporter.lengthSoFar(thread);
  },
  onEnded: (thread) => {
    reporter.ended(thread);
  },
  onSoFar: (thread) => {
    reporter.blockSoFar(thread);
  },
  onHang: (thread) => {
    const notice = noticesHangs ? reporter.noticeOf(thread) : undefined;
    if (notice) send(notice);
    return reporter.hang(thread);
  },
  onUnaskable: () => {
    send({ unaskable: true });
  },
  isBusy: () => reporter.isBusy || liveness.isStarting || pool.isAsking || maps.isBusy,
  onLook: () => {
    pool.look();
    maps.look();
    if (liveness.isOn) liveness.setBlock(loop.mainThreadBlock());
  },
  onSuspension: (start, end) => {
    pool.excludeSuspension(start, end);
  },
  onEnd: () => {
    poolThreads.close();
    ownTimes.close();
  },
};
const loop = new WatchdogLoop(registry, observer, () => ownTimes.read()?.cpuMs);

function send(message: WatchdogMessage): void {
  parentPort?.postMessage(message);
}

function apply({ hangDestinations, liveness: livenessSettings, threadPool, ...rest }: WatchdogSettings): void {
  ({ noticesHangs } = rest);
  reporter.setHangDestinations(hangDestinations);
  liveness.setSettings(livenessSettings);
  pool.setThreshold(threadPool?.thresholdMs);
}

apply(settings);
parentPort?.on('message', apply);
loop.start();
