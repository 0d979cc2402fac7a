import type { PoolLane, PoolMessage, PoolWait } from '../../contract/thread-pool-data.js';
import { systemShare, type CpuSplit } from '../scan/cpu-split.js';
import { CPU, IDLE, isNetworkCall, KERNEL, type ThreadState } from './thread-state.js';

/** Interval between two looks at the pool, ms. Each stands for a task that arrives then. */
const LOOK_MS = 200;
/** Interval between two looks while a task waits, ms. */
const WAITING_LOOK_MS = 20;
/** A look may come early by this time, ms: the watchdog sleeps for as long as the interval. */
const EARLY_MS = 5;
/** Where the system does not show the threads: interval between two tasks, ms, while the application runs. */
const BLIND_MS = 1000;
/** At most one wait in this time is reported, ms, and those that are much longer; all of them are counted. */
const REPORT_MS = 10_000;
const MUCH_LONGER = 2;
/** Age of a wait that lasts at which it is reported, ms; then again at doubling ages, because the process may end meanwhile. */
const FIRST_REPORT_AGE_MS = 2000;

/** A thread that has used less CPU, as a share of a time in which it seemed to compute, has waited for a CPU all the time. */
const MIN_CPU_SHARE = 0.01;

/** The threads of the pool, as `PoolThreads` reads them. */
export interface WatchedThreads {
  readonly canBeFound: boolean;
  readonly mayBeHidden: boolean;
  readonly size: number;
  find(now: number): void;
  states(limit?: number): readonly ThreadState[] | undefined;
  cpuTimes(): readonly number[] | undefined;
  cpuSplit(): CpuSplit | undefined;
}

export interface PoolWatchOptions {
  readonly threads: WatchedThreads;
  /** Queues a task in the pool and calls back when it has run. */
  readonly ask: (lane: PoolLane, onRan: () => void) => void;
  readonly now: () => number;
  /** For how long this thread has waited for a CPU so far, ms; undefined where the system does not show it. */
  readonly runQueueMs: () => number | undefined;
  /** Whether the application has done something since `since`. */
  readonly isActive: (since: number) => boolean;
  readonly onWait: (wait: PoolWait) => void;
  readonly onBusyShare: (share: number) => void;
  readonly send: (message: PoolMessage) => void;
}

/** A task of the watchdog that waits in the queue of the pool. */
interface Waiting {
  readonly lane: PoolLane;
  queuedAt: number;
  /** When tasks would have been queued that are to be counted: at each look. */
  arrivals: number[];
  readonly holders: Map<string, number>;
  looks: number;
  reportAge: number;
  isReported: boolean;
  /** Age at which the application's thread is to look next what else waits. */
  seenAge: number;
  /** When it had lasted for half of the threshold. */
  begun: BegunWait | undefined;
  /** The last look. */
  lookedAt: number;
  runQueueMs: number;
}

interface BegunWait {
  at: number;
  readonly cpuTimes: readonly number[] | undefined;
  readonly cpuSplit: CpuSplit | undefined;
  /** Whether each thread has been seen with something else than computing since. */
  readonly wasElsewhere: boolean[];
}

/**
 * Measures how long a task waits for libuv's pool. It looks at the threads first: while one of them is idle, a task does
 * not wait, and an idle process pays for a few reads. Only where all work does it queue a task of its own.
 */
export class PoolWatch {
  readonly #options: PoolWatchOptions;
  #thresholdMs: number | undefined;
  #lookAt = 0;
  #waiting: Waiting | undefined;
  #reportedAt = -Infinity;
  #reportedMs = 0;
  /** Lookups have waited once: from then on, each look counts for them, too. */
  #countsLookups = false;

  constructor(options: PoolWatchOptions) {
    this.#options = options;
  }

  /** Starts, stops, or changes from when on a wait is reported. */
  setThreshold(thresholdMs: number | undefined): void {
    this.#thresholdMs = thresholdMs;
  }

  /** A task of this thread waits: its event loop must run to see the end. */
  get isAsking(): boolean {
    return this.#waiting !== undefined;
  }

  /** Called each time that the watchdog is awake. */
  look(): void {
    const now = this.#options.now();
    if (this.#thresholdMs === undefined || now < this.#lookAt - EARLY_MS) return;
    if (this.#waiting) this.#lookWhileWaiting(this.#waiting, now);
    else this.#lookForWait(now);
  }

  /** Excludes a suspension of the process, which has just ended: no task could run. */
  excludeSuspension(start: number, end: number): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    const excludedMs = end - Math.max(start, waiting.queuedAt);
    waiting.queuedAt += excludedMs;
    waiting.arrivals = waiting.arrivals.map((arrivedAt) => Math.min(end, arrivedAt + excludedMs));
    // No thread could use a CPU either.
    const { begun } = waiting;
    if (begun) begun.at += end - Math.max(start, begun.at);
  }

  #lookForWait(now: number): void {
    const { threads, onBusyShare } = this.#options;
    this.#lookAt = now + LOOK_MS;
    threads.find(now);
    if (threads.size === 0) {
      if (!threads.canBeFound || threads.mayBeHidden) this.#askBlindly(now);
      return;
    }
    const states = threads.states();
    if (!states) {
      this.#askBlindly(now);
      return;
    }
    const working = states.filter((state) => state !== IDLE);
    onBusyShare(working.length / states.length);
    const isFull = working.length === states.length && this.#areAllWorking(states.length);
    if (isFull) this.#ask('any', now);
    else if (working.filter(isNetworkCall).length * 2 >= states.length) this.#ask('slow_io', now);
    else this.#countNoWait();
  }

  /** Of a large pool, the first look reads a part. */
  #areAllWorking(readCount: number): boolean {
    const { threads } = this.#options;
    return readCount >= threads.size || threads.states(threads.size)?.every((state) => state !== IDLE) === true;
  }

  #countNoWait(): void {
    this.#options.onWait({ waitMs: 0, lane: 'any' });
    if (this.#countsLookups) this.#options.onWait({ waitMs: 0, lane: 'slow_io' });
  }

  #askBlindly(now: number): void {
    this.#lookAt = now + BLIND_MS;
    if (this.#options.isActive(now - BLIND_MS)) this.#ask('any', now);
  }

  #ask(lane: PoolLane, now: number): void {
    const waiting: Waiting = {
      lane,
      queuedAt: now,
      arrivals: [now],
      holders: new Map(),
      looks: 0,
      reportAge: FIRST_REPORT_AGE_MS,
      isReported: false,
      seenAge: this.#thresholdMs! / 2,
      begun: undefined,
      lookedAt: now,
      runQueueMs: this.#options.runQueueMs() ?? 0,
    };
    this.#waiting = waiting;
    this.#lookAt = now + WAITING_LOOK_MS;
    this.#noteHolders(waiting);
    this.#options.ask(lane, () => {
      this.#end(waiting);
    });
  }

  #lookWhileWaiting(waiting: Waiting, now: number): void {
    this.#lookAt = now + WAITING_LOOK_MS;
    waiting.lookedAt = now;
    waiting.runQueueMs = this.#options.runQueueMs() ?? 0;
    if (now - waiting.arrivals.at(-1)! >= LOOK_MS) waiting.arrivals.push(now);
    const age = now - waiting.queuedAt;
    if (age >= waiting.seenAge) {
      waiting.seenAge = age * 2;
      this.#options.send({ poolWait: waiting.begun ? 'goesOn' : 'began' });
      const { threads } = this.#options;
      waiting.begun ??= { at: now, cpuTimes: threads.cpuTimes(), cpuSplit: threads.cpuSplit(), wasElsewhere: [] };
    }
    this.#noteHolders(waiting);
    if (age < waiting.reportAge) return;
    waiting.reportAge *= 2;
    if (this.#isToBeReported(waiting, age, now)) this.#report(waiting, 'lasts', now);
    // Else these arrivals would be counted only at the end, which may never come.
    this.#count(waiting, now);
  }

  #end(waiting: Waiting): void {
    const now = this.#options.now();
    this.#waiting = undefined;
    this.#lookAt = Math.max(waiting.queuedAt + LOOK_MS, now);
    // The task may have run when this thread began to wait for a CPU.
    const ownWaitMs = Math.max(0, (this.#options.runQueueMs() ?? 0) - waiting.runQueueMs);
    const ranAt = Math.max(waiting.lookedAt, now - ownWaitMs);
    this.#count(waiting, ranAt);
    if (this.#isToBeReported(waiting, ranAt - waiting.queuedAt, now)) this.#report(waiting, 'ended', ranAt);
  }

  #isToBeReported(waiting: Waiting, waitMs: number, now: number): boolean {
    if (waitMs < this.#thresholdMs! || this.#mayHaveBeenFree(waiting, now)) return false;
    // What lasted may have ended, or lasts twice as long.
    if (waiting.isReported) return true;
    return now - this.#reportedAt >= REPORT_MS || waitMs >= this.#reportedMs * MUCH_LONGER;
  }

  /**
   * Whether a thread seemed to compute and was never on a CPU. On an overloaded host, that may be an idle thread that has
   * been woken for the task: the task waited for the CPU then, not for the pool.
   */
  #mayHaveBeenFree({ begun, lane }: Waiting, now: number): boolean {
    const cpuTimes = this.#options.threads.cpuTimes();
    if (lane !== 'any' || !begun?.cpuTimes || !cpuTimes) return false;
    const { at, cpuTimes: before, wasElsewhere } = begun;
    return before.some((ms, i) => wasElsewhere[i] === false && cpuTimes[i]! - ms < (now - at) * MIN_CPU_SHARE);
  }

  #count(waiting: Waiting, now: number): void {
    const { lane, arrivals } = waiting;
    if (lane === 'slow_io') this.#countsLookups = true;
    for (const arrivedAt of arrivals) this.#options.onWait({ waitMs: now - arrivedAt, lane });
    waiting.arrivals = [now];
  }

  #report(waiting: Waiting, poolWait: 'ended' | 'lasts', ranAt: number): void {
    const { queuedAt, lane, looks, begun } = waiting;
    waiting.isReported = true;
    this.#reportedAt = this.#options.now();
    this.#reportedMs = ranAt - queuedAt;
    const { threads, send } = this.#options;
    const size = threads.size === 0 ? undefined : threads.size;
    const isInKernel = systemShare(begun?.cpuSplit, threads.cpuSplit()) >= 1 / 2;
    const holders = isInKernel ? renamed(waiting.holders, CPU, KERNEL) : waiting.holders;
    send({
      poolWait,
      queuedAt,
      ranAt,
      lane,
      size,
      holders: size === undefined ? [] : holdersOf(holders, looks, size, lane),
    });
  }

  #noteHolders(waiting: Waiting): void {
    const { threads } = this.#options;
    const states = threads.size === 0 ? undefined : threads.states(threads.size);
    if (!states) return;
    waiting.looks += 1;
    for (const state of states) waiting.holders.set(state, (waiting.holders.get(state) ?? 0) + 1);
    const { begun } = waiting;
    if (!begun) return;
    for (const [i, state] of states.entries()) begun.wasElsewhere[i] = begun.wasElsewhere[i] === true || state !== CPU;
  }
}

function renamed(counts: ReadonlyMap<ThreadState, number>, from: ThreadState, to: ThreadState): Map<string, number> {
  return new Map([...counts].map(([state, count]) => [state === from ? to : state, count]));
}

/**
 * What the threads did on average over the looks, most frequent first: `cpu×4`. While a task waits, no thread is idle: one
 * that looks so is between two tasks, and counts by what the others do. For lookups, the rest of the pool may be idle.
 */
function holdersOf(counts: ReadonlyMap<ThreadState, number>, looks: number, size: number, lane: PoolLane): string[] {
  const working = [...counts].filter(([state]) => state !== IDLE).sort(([, a], [, b]) => b - a);
  const total = lane === 'any' ? working.reduce((sum, [, count]) => sum + count, 0) : looks * size;
  let [exact, rounded] = [0, 0];
  return working.flatMap(([state, count]) => {
    exact += (count / Math.max(1, total)) * size;
    const threads = Math.round(exact) - rounded;
    rounded += threads;
    return threads > 0 ? [`${state}×${threads}`] : [];
  });
}
