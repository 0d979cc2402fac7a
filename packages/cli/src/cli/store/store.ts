import { acceptInstance } from '../../model/accept/process.js';
import type { BusyPeriod } from '../../model/busy-time/busy.js';
import type { Saturation } from '../../model/delays/saturation.js';
import type { PoolWait } from '../../model/delays/thread-pool.js';
import { ALL_KEPT, type NotKept } from '../../model/live/not-kept.js';
import type { InstanceSeen } from '../../model/live/presence.js';
import type { UnwatchedProcess } from '../../model/processes/unwatched.js';
import type { WatchProblem } from '../../model/processes/watch-problem.js';
import type { Block, Instance, LagPoint, StartUp, ThreadInfo, TraceSpan, Victim } from '../../model/types.js';
import { SizedMap, sizeOfValue } from './sized-map.js';

/** Limits of the store. The oldest entries are evicted first, traces without a block before those with one. */
export interface Limits {
  /** Older entries are evicted. */
  readonly retentionMs: number;
  readonly maxBlocks: number;
  /** Estimated size of all that is kept, in bytes. */
  readonly maxBytes: number;
  readonly maxInstances: number;
  /** Threads of all instances, by name. */
  readonly maxThreads: number;
  /** For each thread of each instance. */
  readonly maxLagPoints: number;
}

export const DEFAULT_LIMITS: Limits = {
  retentionMs: 60 * 60_000,
  maxBlocks: 5_000,
  maxBytes: 192 * 1024 * 1024,
  maxInstances: 200,
  maxThreads: 2_000,
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
  /** Ids of the last blocks in it. */
  readonly blockIds: Set<string>;
  bytes: number;
  lastSeenMs: number;
}

/** All received data. Only functions of this folder change it. */
export interface Store {
  readonly limits: Limits;
  readonly instances: SizedMap<StoredInstance>;
  /** Ids of those that a limit has evicted: one that goes on reporting evicts another. */
  readonly evictedInstances: Set<string>;
  /** By id, in order of arrival. */
  readonly blocks: SizedMap<Block>;
  /** When each of them arrived: their own times come from other clocks. */
  readonly arrivalsMs: Map<string, number>;
  /** Ids of the last blocks of each thread. */
  readonly recentBlocks: SizedMap<string[]>;
  /** Least recently extended first. */
  readonly plainTraces: SizedMap<StoredTrace>;
  readonly blockedTraces: SizedMap<StoredTrace>;
  /** By the span id of the block that delayed them, then by their own. */
  readonly victims: SizedMap<Map<string, Victim>>;
  /** By instance and thread, least recently extended first. */
  readonly lag: SizedMap<LagPoint[]>;
  /** Last cumulative point of each series, for the difference to the next. */
  readonly lastCumulative: SizedMap<CumulativePoint>;
  readonly threads: SizedMap<ThreadInfo>;
  /** Of `loopwatch run`: one for each thread. */
  readonly startUps: StartUp[];
  /** Long waits for libuv's thread pool, by instance, lane and start, in order of arrival. */
  readonly poolWaits: SizedMap<PoolWait>;
  /** Busy time by instance and thread, least recently extended first. */
  readonly busyPeriods: SizedMap<BusyPeriod[]>;
  /** Threads whose loops were saturated, by instance, thread and start, in order of arrival. */
  readonly saturations: SizedMap<Saturation>;
  /** Of `loopwatch run`: the processes that have not watched themselves. */
  readonly unwatched: UnwatchedProcess[];
  /** Of `loopwatch run`: what could not be done in the processes. */
  readonly problems: WatchProblem[];
  readonly totals: {
    spans: number;
    blocks: number;
    evictedTraces: number;
    evictedBlocks: number;
    /** Where cumulative series were evicted, the end of the newest of them, epoch, ms. */
    forgottenSeriesMs: number;
    /** What did not fit into the limits, or was no valid data. */
    readonly notKept: Record<keyof NotKept, number>;
  };
}

export interface CumulativePoint {
  readonly startMs: number;
  readonly endMs: number;
  /** Upper bounds of all buckets but the last; empty for a counter. */
  readonly boundsMs: readonly number[];
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

/** Estimated size of a span without its texts, in bytes. */
const SPAN_BYTES = 600;
const TRACE_BYTES = 500;

export function createStore(limits: Limits = DEFAULT_LIMITS): Store {
  return {
    limits,
    instances: new SizedMap(),
    evictedInstances: new Set(),
    blocks: new SizedMap(),
    arrivalsMs: new Map(),
    recentBlocks: new SizedMap(),
    plainTraces: new SizedMap(sizeOfTrace),
    blockedTraces: new SizedMap(sizeOfTrace),
    victims: new SizedMap((victims) => sizeOfValue([...victims.values()])),
    lag: new SizedMap(),
    lastCumulative: new SizedMap(),
    threads: new SizedMap(),
    startUps: [],
    poolWaits: new SizedMap(),
    busyPeriods: new SizedMap(),
    saturations: new SizedMap(),
    unwatched: [],
    problems: [],
    totals: {
      spans: 0,
      blocks: 0,
      evictedTraces: 0,
      evictedBlocks: 0,
      forgottenSeriesMs: -Infinity,
      notKept: { ...ALL_KEPT },
    },
  };
}

function sizeOfTrace({ bytes }: StoredTrace): number {
  return TRACE_BYTES + bytes;
}

export function sizeOfSpan(span: TraceSpan): number {
  return SPAN_BYTES + sizeOfValue(span);
}

export function emptyChange(): Change {
  return { blocks: [], removedBlocks: [], lag: [], instances: [], threads: [], seen: [] };
}

export function isEmptyChange(change: Change): boolean {
  return Object.values(change).every((items: readonly unknown[]) => items.length === 0);
}

/** Adds the instance, or updates when it was last seen. Returns its id; undefined if it is no valid instance. */
export function registerInstance(store: Store, reported: Instance, nowMs: number, change: Change): string | undefined {
  let known = store.instances.get(reported.id);
  if (known) {
    known.lastSeenMs = nowMs;
  } else {
    const instance = acceptInstance(reported);
    if (!instance) return undefined;
    known = store.instances.get(instance.id) ?? { ...instance, lastSeenMs: nowMs, delaysMs: [] };
    if (!store.instances.has(instance.id)) change.instances.push(instance);
    known.lastSeenMs = nowMs;
    store.instances.set(instance.id, known);
  }
  change.seen.push(seenOf(known));
  return known.id;
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

/** All busy time that is kept, thread by thread. */
export function busyPeriodsOf(store: Store): BusyPeriod[] {
  return [...store.busyPeriods.values()].flat();
}
