import { forgetSeries } from './cumulative.js';
import { sizeOfItems, type SizedMap } from './sized-map.js';
import type { Store, StoredInstance, StoredTrace } from './store.js';

/** How the memory is divided: so much of one kind cannot push out another. */
const SHARES = {
  traces: 0.4375,
  blocks: 0.25,
  lag: 0.125,
  victims: 0.0625,
  busyPeriods: 0.0625,
  threads: 0.046875,
  poolWaits: 0.015625,
} as const;

/** Evicts what is older than the retention or exceeds a limit. Called after each request and every few seconds. */
export function enforceLimits(store: Store, nowMs: number): void {
  const oldestMs = nowMs - store.limits.retentionMs;
  evictTraces(store, oldestMs);
  evictBlocks(store, oldestMs);
  evictVictims(store);
  evictSeries(store);
  evictLag(store, oldestMs);
  evictThreads(store);
  evictPoolWaits(store, oldestMs);
  evictBusyPeriods(store, oldestMs);
  evictInstances(store, oldestMs);
}

/** Estimated size of all that is kept. */
export function keptBytes(store: Store): number {
  const { plainTraces, blockedTraces, blocks, recentBlocks, victims, lag, lastCumulative, threads } = store;
  return [
    ...[plainTraces, blockedTraces, blocks, recentBlocks, victims, lag, lastCumulative, threads],
    ...[store.poolWaits, store.busyPeriods, store.saturations, store.instances],
  ].reduce((total, { bytes }) => total + bytes, 0);
}

function bytesFor(store: Store, kind: keyof typeof SHARES): number {
  return store.limits.maxBytes * SHARES[kind];
}

function evictTraces(store: Store, oldestMs: number): void {
  const { plainTraces, blockedTraces } = store;
  for (const traces of [plainTraces, blockedTraces]) {
    for (const [traceId, trace] of traces) {
      if (trace.lastSeenMs >= oldestMs) break;
      dropTrace(store, traces, traceId);
    }
  }
  while (plainTraces.bytes + blockedTraces.bytes > bytesFor(store, 'traces')) {
    const traces = plainTraces.size > 0 ? plainTraces : blockedTraces;
    const oldest = traces.keys().next();
    if (oldest.done) break;
    dropTrace(store, traces, oldest.value);
    if (traces === blockedTraces) store.totals.notKept.traces += 1;
  }
}

function dropTrace(store: Store, traces: SizedMap<StoredTrace>, traceId: string): void {
  store.totals.evictedTraces += 1;
  traces.delete(traceId);
}

function evictBlocks(store: Store, oldestMs: number): void {
  const { blocks, arrivalsMs, victims, totals, limits } = store;
  for (const [id, block] of blocks) {
    // A block from a clock that is ahead is old when it has been here for so long.
    const ageMs = Math.min(block.startMs + block.durationMs, arrivalsMs.get(id) ?? Infinity);
    const isTooMuch = blocks.size > limits.maxBlocks || blocks.bytes > bytesFor(store, 'blocks');
    if (ageMs >= oldestMs && !isTooMuch) break;
    blocks.delete(id);
    arrivalsMs.delete(id);
    victims.delete(block.spanId ?? '');
    totals.evictedBlocks += 1;
    if (ageMs >= oldestMs) totals.notKept.blocks += 1;
  }
}

function evictVictims(store: Store): void {
  const { victims, limits, totals } = store;
  for (const [id, waiting] of victims) {
    if (victims.size <= limits.maxBlocks * 2 && victims.bytes <= bytesFor(store, 'victims')) break;
    victims.delete(id);
    totals.notKept.victims += waiting.size;
  }
}

function evictLag(store: Store, oldestMs: number): void {
  const { lag, limits, totals } = store;
  for (const [key, points] of lag) {
    const firstKept = points.findIndex((point) => point.endMs >= oldestMs);
    const tooOld = firstKept === -1 ? points.length : firstKept;
    const tooMany = points.length - limits.maxLagPoints;
    const dropped = Math.max(tooOld, tooMany);
    if (dropped >= points.length) lag.delete(key);
    else if (dropped > 0) lag.grow(key, -sizeOfItems(points.splice(0, dropped)));
    totals.notKept.lagPoints += Math.max(0, tooMany - tooOld);
  }
  while (lag.size > limits.maxThreads || lag.bytes + store.lastCumulative.bytes > bytesFor(store, 'lag')) {
    const [oldest] = lag.keys();
    if (oldest === undefined) break;
    totals.notKept.lagPoints += lag.get(oldest)?.length ?? 0;
    lag.delete(oldest);
  }
}

/** Of cumulative metrics: a thread has one of its lag, and up to 41 of its busy time. Most threads have fewer. */
const MAX_SERIES_OF_THREAD = 10;

/** They have at most half of the memory for lag. */
function evictSeries(store: Store): void {
  const { lastCumulative, limits } = store;
  const maxSeries = limits.maxThreads * MAX_SERIES_OF_THREAD;
  for (const series of lastCumulative.keys()) {
    if (lastCumulative.size <= maxSeries && lastCumulative.bytes <= bytesFor(store, 'lag') / 2) break;
    forgetSeries(store, series);
  }
}

/** An instance that lives long may start and end any number of threads. */
function evictThreads(store: Store): void {
  const { threads, recentBlocks, limits, totals } = store;
  for (const byThread of [threads, recentBlocks]) {
    const maxBytes = bytesFor(store, 'threads') / 2;
    for (const key of byThread.keys()) {
      if (byThread.size <= limits.maxThreads && byThread.bytes <= maxBytes) break;
      byThread.delete(key);
      if (byThread === threads) totals.notKept.threads += 1;
    }
  }
}

/** `addPoolWait` limits their number. */
function evictPoolWaits({ poolWaits, totals, limits }: Store, oldestMs: number): void {
  for (const [key, { startMs, durationMs }] of poolWaits) {
    const isOld = startMs + durationMs < oldestMs;
    if (!isOld && poolWaits.bytes <= limits.maxBytes * SHARES.poolWaits) continue;
    poolWaits.delete(key);
    if (!isOld) totals.notKept.poolWaits += 1;
  }
}

function evictBusyPeriods({ busyPeriods, saturations, totals, limits }: Store, oldestMs: number): void {
  const maxBytes = limits.maxBytes * SHARES.busyPeriods;
  for (const [key, { startMs, durationMs }] of saturations) {
    const isOld = startMs + durationMs < oldestMs;
    if (!isOld && saturations.bytes <= maxBytes / 4) continue;
    saturations.delete(key);
    if (!isOld) totals.notKept.busyPeriods += 1;
  }
  for (const [key, periods] of busyPeriods) {
    const firstKept = periods.findIndex(({ endMs }) => endMs >= oldestMs);
    const isTooMuch = busyPeriods.size > limits.maxThreads || busyPeriods.bytes + saturations.bytes > maxBytes;
    if (firstKept === -1 || isTooMuch) {
      busyPeriods.delete(key);
      if (firstKept !== -1) totals.notKept.busyPeriods += periods.length - firstKept;
    } else if (firstKept > 0) {
      busyPeriods.grow(key, -sizeOfItems(periods.splice(0, firstKept)));
    }
  }
}

/** Of more, one that comes back is counted again. */
const MAX_REMEMBERED_INSTANCES = 2_000;

/** Counts each instance once: with more than are kept, each that reports evicts another, which does the same. */
function countEvicted({ evictedInstances, totals }: Store, id: string): void {
  if (evictedInstances.has(id)) return;
  totals.notKept.instances += 1;
  if (evictedInstances.size < MAX_REMEMBERED_INSTANCES) evictedInstances.add(id);
}

function evictInstances(store: Store, oldestMs: number): void {
  const { instances, limits } = store;
  const isOld = ({ lastSeenMs }: StoredInstance): boolean => lastSeenMs < oldestMs;
  if (instances.size <= limits.maxInstances && ![...instances.values()].some(isOld)) return;
  const byLastSeen = [...instances.values()].sort((a, b) => a.lastSeenMs - b.lastSeenMs);
  const evicted = new Set<string>();
  for (const { id, lastSeenMs } of byLastSeen) {
    const isTooMany = instances.size > limits.maxInstances;
    if (lastSeenMs >= oldestMs && !isTooMany) break;
    instances.delete(id);
    evicted.add(id);
    if (lastSeenMs >= oldestMs) countEvicted(store, id);
  }
  if (evicted.size === 0) return;
  // Once for all of them: there may be thousands, and as many threads.
  const isEvicted = (key: string): boolean => evicted.has(key.slice(0, key.indexOf('\n')));
  const { lag, threads, recentBlocks, poolWaits, busyPeriods, saturations } = store;
  for (const ofInstance of [lag, threads, recentBlocks, poolWaits, busyPeriods, saturations]) {
    for (const key of ofInstance.keys()) if (isEvicted(key)) ofInstance.delete(key);
  }
  for (const series of store.lastCumulative.keys()) if (isEvicted(series)) forgetSeries(store, series);
}
