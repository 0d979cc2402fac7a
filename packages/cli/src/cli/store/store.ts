import type { InstanceSeen } from '../../model/presence.js';
import type { Block, Instance, LagPoint, StartUp, ThreadInfo, TraceSpan, Victim } from '../../model/types.js';
import type { PoolWait } from '../../model/thread-pool.js';
import type { UnwatchedProcess } from '../../model/unwatched.js';

/** Limits of the store. The oldest entries are evicted first, traces without a block before those with one. */
export interface Limits {
  /** Older entries are evicted. */
  readonly retentionMs: number;
  readonly maxBlocks: number;
  /** Estimated size of all spans, in bytes. */
  readonly maxSpanBytes: number;
  readonly maxInstances: number;
  /** For each thread of each instance. */
  readonly maxLagPoints: number;
}

export const DEFAULT_LIMITS: Limits = {
  retentionMs: 60 * 60_000,
  maxBlocks: 5_000,
  maxSpanBytes: 128 * 1024 * 1024,
  maxInstances: 200,
  maxLagPoints: 3_600,
};

/** An instance, and when data of it arrived. */
export interface StoredInstance extends Instance {
  lastSeenMs: number;
  /** How late the newest data of the last requests was, by the instance's own clock. */
  readonly delaysMs: number[];
}

/** Spans of one trace. */
export interface StoredTrace {
  readonly spans: Map<string, TraceSpan>;
  /** Ids of the blocks in it. */
  readonly blockIds: Set<string>;
  bytes: number;
  lastSeenMs: number;
}

/** All received data. Only functions of this folder change it. */
export interface Store {
  readonly limits: Limits;
  readonly instances: Map<string, StoredInstance>;
  /** By id, in order of arrival. */
  readonly blocks: Map<string, Block>;
  /** Ids of the last blocks of each thread. */
  readonly recentBlocks: Map<string, string[]>;
  /** Least recently extended first. */
  readonly plainTraces: Map<string, StoredTrace>;
  readonly blockedTraces: Map<string, StoredTrace>;
  /** By the span id of the block that delayed them. */
  readonly victims: Map<string, Victim[]>;
  /** By instance and thread. */
  readonly lag: Map<string, LagPoint[]>;
  /** Last cumulative point of each series, for the difference to the next. */
  readonly lastCumulative: Map<string, CumulativePoint>;
  readonly threads: Map<string, ThreadInfo>;
  /** Of `loopwatch run`: one for each thread. */
  readonly startUps: StartUp[];
  /** Long waits for libuv's thread pool. */
  readonly poolWaits: PoolWait[];
  /** Of `loopwatch run`: the processes that have not watched themselves. */
  readonly unwatched: UnwatchedProcess[];
  spanBytes: number;
  readonly totals: { spans: number; blocks: number; evictedTraces: number; evictedBlocks: number };
}

export interface CumulativePoint {
  readonly startMs: number;
  readonly endMs: number;
  readonly counts: readonly number[];
  readonly maxMs: number | undefined;
}

/** What a call added or changed, for the page, the terminal and the database. */
export interface Change {
  readonly blocks: Block[];
  /** Ids of hang reports that a block has replaced besides the one whose id it keeps. */
  readonly removedBlocks: string[];
  readonly lag: LagPoint[];
  readonly instances: Instance[];
  readonly threads: ThreadInfo[];
  readonly seen: InstanceSeen[];
}

export function createStore(limits: Limits = DEFAULT_LIMITS): Store {
  return {
    limits,
    instances: new Map(),
    blocks: new Map(),
    recentBlocks: new Map(),
    plainTraces: new Map(),
    blockedTraces: new Map(),
    victims: new Map(),
    lag: new Map(),
    lastCumulative: new Map(),
    threads: new Map(),
    startUps: [],
    poolWaits: [],
    unwatched: [],
    spanBytes: 0,
    totals: { spans: 0, blocks: 0, evictedTraces: 0, evictedBlocks: 0 },
  };
}

export function emptyChange(): Change {
  return { blocks: [], removedBlocks: [], lag: [], instances: [], threads: [], seen: [] };
}

export function isEmptyChange(change: Change): boolean {
  return Object.values(change).every((items: readonly unknown[]) => items.length === 0);
}

/** Adds the instance, or updates when it was last seen. */
export function registerInstance(store: Store, instance: Instance, nowMs: number, change: Change): void {
  let known = store.instances.get(instance.id);
  if (known) {
    known.lastSeenMs = nowMs;
  } else {
    store.instances.set(instance.id, (known = { ...instance, lastSeenMs: nowMs, delaysMs: [] }));
    change.instances.push(instance);
  }
  change.seen.push(seenOf(known));
}

/** Number of requests whose delay is known. */
const MAX_DELAYS = 5;
/** The first requests may bring old data: a retry, or what was recorded before the exporter had a connection. */
const MIN_DELAYS = 3;

/** Notes how late the newest data of a request was, by the clock of the instance that measured it. */
export function noteDelay(store: Store, instanceId: string, newestMs: number, nowMs: number, change: Change): void {
  const known = store.instances.get(instanceId);
  if (!known || !Number.isFinite(newestMs)) return;
  known.delaysMs.push(nowMs - newestMs);
  if (known.delaysMs.length > MAX_DELAYS) known.delaysMs.shift();
  change.seen.push(seenOf(known));
}

/** The smallest delay is the nearest to the difference of the clocks. One from the future needs no second measurement. */
function seenOf({ id, lastSeenMs, delaysMs }: StoredInstance): InstanceSeen {
  const delayMs = Math.min(...delaysMs);
  const isKnown = delaysMs.length >= MIN_DELAYS || delayMs < 0;
  return { instance: id, lastSeenMs, ...(isKnown && { delayMs }) };
}

export function seenInstancesOf(store: Store): InstanceSeen[] {
  return [...store.instances.values()].map(seenOf);
}

export function traceOf(store: Store, traceId: string): StoredTrace | undefined {
  return store.blockedTraces.get(traceId) ?? store.plainTraces.get(traceId);
}

/** Every lag point, in the order of their end. */
export function lagPointsOf(store: Store): LagPoint[] {
  return [...store.lag.values()].flat().sort((a, b) => a.endMs - b.endMs);
}

export function instancesOf(store: Store): Instance[] {
  return [...store.instances.values()].map(({ lastSeenMs: _lastSeenMs, delaysMs: _delaysMs, ...instance }) => instance);
}
