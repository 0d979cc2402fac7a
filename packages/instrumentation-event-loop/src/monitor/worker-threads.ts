import { performance } from 'node:perf_hooks';
import type { Worker } from 'node:worker_threads';
import { Map, Math, Set } from '../contract/built-ins.js';
import { listenToProcess } from '../contract/own-listeners.js';
import { watchdogs } from './watchdog-state.js';

type Utilization = ReturnType<typeof performance.eventLoopUtilization>;

/** Thread names that are still reported after their threads have ended. */
const MAX_NAMES = 100;
/**
 * A time that is shorter, ms, says little of a thread. Several readers of one SDK may collect right after each other: each
 * gets the time that the first one got.
 */
const MIN_MEASURED_MS = 500;
/** A thread with a lower utilisation counts as idle. */
const IDLE_UTILIZATION = 0.01;

const eventLoopUtilization = performance.eventLoopUtilization.bind(performance);
const now = performance.now.bind(performance);
/** That of a worker which has ended. */
const NO_THREAD = -1;

/** Usage of all threads with one name since the last call, or since the one before where that was right before. */
export interface ThreadGroup {
  readonly threadName: string;
  /** Live threads. */
  readonly count: number;
  /** Share of the time in which their loops were not idle, 0 to 1: the mean over the threads. */
  readonly utilization: number;
  /** How long the longest idle of them has been idle. */
  readonly idleAgeSeconds: number;
}

interface MeasuredThread {
  readonly threadName: string;
  readonly measure: (previous: Utilization) => Utilization;
  readonly total: () => Utilization;
  /** What the time is counted from that is measured next. */
  previous: Reading;
  /** The one before it. */
  older: Reading | undefined;
  busyAt: number;
}

interface Reading {
  readonly total: Utilization;
  readonly at: number;
}

/**
 * Measures this thread and the worker threads that it starts from now on, instrumented or not. A worker's utilisation
 * is read from this thread, without a message to the worker.
 */
export class WorkerThreads {
  readonly #suspendedMs: (since: number) => number;
  readonly #minMeasuredMs: number;
  readonly #thisThread: MeasuredThread;
  readonly #workers = new Map<Worker, MeasuredThread>();
  /** All names seen so far: a name whose threads have ended is reported as 0, so that its series does not end. */
  readonly #names = new Set<string>();
  readonly #stopListening: () => void;

  /** `suspendedMs`: for how long the process has been suspended since a time, ms. */
  constructor(threadName: string, suspendedMs: (since: number) => number, minMeasuredMs = MIN_MEASURED_MS) {
    this.#suspendedMs = suspendedMs;
    this.#minMeasuredMs = minMeasuredMs;
    this.#thisThread = {
      threadName,
      measure: (previous) => eventLoopUtilization(previous),
      total: () => eventLoopUtilization(),
      previous: { total: eventLoopUtilization(), at: now() },
      older: undefined,
      busyAt: now(),
    };
    this.#stopListening = listenToProcess('worker', this.#onWorker);
  }

  close(): void {
    this.#stopListening();
    this.#workers.clear();
  }

  /** Usage of the threads since the last call, by name. `count` does not include this thread. */
  groups(): ThreadGroup[] {
    this.#forgetEnded();
    const groups = new Map<string, { count: number; utilization: number; idleAgeSeconds: number; size: number }>();
    const measure = (thread: MeasuredThread): void => {
      const utilization = this.#utilizationOf(thread);
      if (utilization >= IDLE_UTILIZATION) thread.busyAt = now();
      const group = groups.get(thread.threadName) ?? { count: 0, utilization: 0, idleAgeSeconds: 0, size: 0 };
      groups.set(thread.threadName, {
        count: group.count + (thread === this.#thisThread ? 0 : 1),
        size: group.size + 1,
        utilization: group.utilization + utilization,
        idleAgeSeconds: Math.max(group.idleAgeSeconds, (now() - thread.busyAt) / 1000),
      });
    };
    measure(this.#thisThread);
    this.#workers.forEach(measure);
    this.#names.forEach((threadName) => {
      if (!groups.has(threadName)) groups.set(threadName, { count: 0, utilization: 0, idleAgeSeconds: 0, size: 1 });
    });
    const all: ThreadGroup[] = [];
    groups.forEach(({ count, size, utilization, idleAgeSeconds }, threadName) => {
      all[all.length] = { threadName, count, utilization: utilization / size, idleAgeSeconds };
    });
    return all;
  }

  #utilizationOf(thread: MeasuredThread): number {
    const { previous, older } = thread;
    if (now() - previous.at < this.#minMeasuredMs) return this.#utilizationSince(older ?? previous, thread);
    const utilization = this.#utilizationSince(previous, thread);
    thread.older = previous;
    thread.previous = { total: thread.total(), at: now() };
    return utilization;
  }

  #utilizationSince({ total, at }: Reading, { measure }: MeasuredThread): number {
    return utilizationWithout(this.#suspendedMs(at), measure(total));
  }

  /** Without a listener on the application's object, which it may count, or remove. */
  #forgetEnded(): void {
    this.#workers.forEach((_, worker) => {
      if (worker.threadId === NO_THREAD) this.#workers.delete(worker);
    });
  }

  readonly #onWorker = (worker: Worker): void => {
    if (watchdogs.has(worker)) return;
    this.#forgetEnded();
    // `Worker` has the name from Node 22 on.
    const name = (worker as { threadName?: string | null }).threadName;
    const measure = worker.performance.eventLoopUtilization.bind(worker.performance);
    const threadName = name === undefined || name === null || name === '' || name === 'WorkerThread' ? 'worker' : name;
    if (this.#names.size < MAX_NAMES) this.#names.add(threadName);
    this.#workers.set(worker, {
      threadName,
      measure: (previous) => measure(previous),
      total: () => measure(),
      previous: { total: measure(), at: now() },
      older: undefined,
      busyAt: now(),
    });
  };
}

/**
 * The utilization without the time for which the process was suspended. SIGCONT and a freezer interrupt the poll, and libuv
 * then forgets how long the loop has been idle in it: it looks active. Longer than all active time, it looks idle.
 */
export function utilizationWithout(suspendedMs: number, { active, idle, utilization }: Utilization): number {
  const runMs = active + idle - suspendedMs;
  if (suspendedMs <= 0 || runMs <= 0) return utilization;
  return Math.min(1, (active >= suspendedMs ? active - suspendedMs : active) / runMs);
}
