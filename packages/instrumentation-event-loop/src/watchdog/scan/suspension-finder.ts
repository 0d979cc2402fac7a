import type { ThreadTimes } from '../../contract/model.js';
import type { ThreadTimesReader } from '../../contract/thread-times.js';

/** A watchdog that wakes this much later than planned, ms, was suspended or waited for a CPU. */
const MIN_SUSPENSION_MS = 50;
/** Interval of the readings of its own times, ms: the watchdog uses far less CPU in it than a suspension lasts. */
const READ_INTERVAL_MS = 1000;
/** The same while a thread is stalled: what it reports of that takes CPU time, and longer waits for a CPU on a busy host. */
const STALLED_READ_INTERVAL_MS = 100;

/**
 * Finds out that the process was suspended: the watchdog, which does little but sleep, woke late itself. A watchdog
 * that woke late because it waited for a CPU is on a starved machine, where blocked threads really are blocked. So only
 * time that the scheduler does not account for is a suspension. The watchdog also sleeps while its garbage collection
 * waits for V8's helper threads, for long on a starved machine; but then other threads have run, and a suspension stops
 * all of them.
 */
export class SuspensionFinder {
  readonly #ownTimes: ThreadTimesReader | undefined;
  #accountedMs = 0;
  #readAt = -Infinity;

  constructor(ownTimes: ThreadTimesReader | undefined) {
    this.#ownTimes = ownTimes;
  }

  /** Called before each sleep; reads the scheduler's times about once a second, more often while a thread is stalled. */
  beforeSleep(now: number, isStalled: boolean): void {
    if (now - this.#readAt < (isStalled ? STALLED_READ_INTERVAL_MS : READ_INTERVAL_MS)) return;
    this.#readAt = now;
    this.#accountedMs = this.#readAccountedMs();
  }

  /**
   * Called after each sleep; returns the start of the suspension that has just ended, undefined when there was none.
   * `hasOtherRun`: whether another thread ran, or waited for a CPU, for most of a time.
   */
  afterSleep(
    plannedWakeAt: number,
    now: number,
    hasOtherRun: (start: number, end: number) => boolean,
  ): number | undefined {
    const lateMs = now - plannedWakeAt;
    if (lateMs < MIN_SUSPENSION_MS) return undefined;
    const accountedMs = this.#readAccountedMs() - this.#accountedMs;
    this.#readAt = -Infinity;
    return accountedMs > lateMs / 2 || hasOtherRun(plannedWakeAt, now) ? undefined : plannedWakeAt;
  }

  close(): void {
    this.#ownTimes?.close();
  }

  #readAccountedMs(): number {
    return accountedTime(this.#ownTimes?.read());
  }
}

/** Time that the scheduler accounts for, ms: on a CPU or waiting for one. NaN where it is unknown. */
export function accountedTime(times: ThreadTimes | undefined): number {
  return times ? times.cpuMs + (times.runQueueMs ?? 0) : NaN;
}
