import type { Store, StoredTrace } from './store.js';

/** Evicts what is older than the retention or exceeds a limit. Called after each request and every few seconds. */
export function enforceLimits(store: Store, nowMs: number): void {
  const oldestMs = nowMs - store.limits.retentionMs;
  dropOldTraces(store, store.plainTraces, oldestMs);
  dropOldTraces(store, store.blockedTraces, oldestMs);
  while (store.spanBytes > store.limits.maxSpanBytes) {
    const traces = store.plainTraces.size > 0 ? store.plainTraces : store.blockedTraces;
    const oldest = traces.keys().next();
    if (oldest.done) break;
    dropTrace(store, traces, oldest.value);
  }
  for (const [id, block] of store.blocks) {
    const tooOld = block.startMs + block.durationMs < oldestMs;
    if (!tooOld && store.blocks.size <= store.limits.maxBlocks) break;
    store.blocks.delete(id);
    store.victims.delete(block.spanId ?? '');
    store.totals.evictedBlocks += 1;
  }
  dropOldestKeys(store.victims, store.limits.maxBlocks * 2);
  // An instance that lives long may start and end any number of threads.
  for (const byThread of [store.recentBlocks, store.threads, store.lastCumulative]) {
    dropOldestKeys(byThread, store.limits.maxBlocks * 2);
  }
  dropOldLag(store, oldestMs);
  dropUnseenInstances(store, oldestMs);
}

function dropOldTraces(store: Store, traces: Map<string, StoredTrace>, oldestMs: number): void {
  for (const [traceId, trace] of traces) {
    if (trace.lastSeenMs >= oldestMs) break;
    dropTrace(store, traces, traceId);
  }
}

function dropTrace(store: Store, traces: Map<string, StoredTrace>, traceId: string): void {
  store.spanBytes -= traces.get(traceId)?.bytes ?? 0;
  store.totals.evictedTraces += 1;
  traces.delete(traceId);
}

function dropOldLag(store: Store, oldestMs: number): void {
  for (const [key, points] of store.lag) {
    const firstKept = points.findIndex((point) => point.endMs >= oldestMs);
    const tooOld = firstKept === -1 ? points.length : firstKept;
    const dropped = Math.max(tooOld, points.length - store.limits.maxLagPoints);
    if (dropped >= points.length) store.lag.delete(key);
    else if (dropped > 0) points.splice(0, dropped);
  }
}

function dropUnseenInstances(store: Store, oldestMs: number): void {
  const byLastSeen = [...store.instances.values()].sort((a, b) => a.lastSeenMs - b.lastSeenMs);
  for (const instance of byLastSeen) {
    const tooMany = store.instances.size > store.limits.maxInstances;
    if (instance.lastSeenMs >= oldestMs && !tooMany) break;
    store.instances.delete(instance.id);
    for (const byThread of [store.lag, store.threads, store.lastCumulative, store.recentBlocks]) {
      for (const key of byThread.keys()) if (key.startsWith(`${instance.id}\n`)) byThread.delete(key);
    }
  }
}

function dropOldestKeys(map: Map<string, unknown>, maximum: number): void {
  for (const key of map.keys()) {
    if (map.size <= maximum) break;
    map.delete(key);
  }
}
