import type { ThreadTimesReader } from '../../contract/thread-times.js';

/** A watchdog that wakes this much later than it wanted, in ms, was not run. */
const MIN_SUSPENSION_MS = 50;
/** In that time, in ms, a watchdog uses far less than a gap lasts. */
const READ_INTERVAL_MS = 1000;

/**
 * Notices that the process was suspended: the watchdog, which only sleeps and looks, was late itself. One that was late
 * because it waited for a CPU saw a starved machine, where blocked threads are blocked; only what the scheduler does not
 * account for is a gap.
 */
export class SuspensionFinder {
  readonly #ownTimes: ThreadTimesReader | undefined;
  #accountedMs = 0;
  #readAt = -Infinity;

  constructor(ownTimes: ThreadTimesReader | undefined) {
    this.#ownTimes = ownTimes;
  }

  /** Called before each sleep; the scheduler is asked about once a second. */
  beforeSleep(now: number): void {
    if (now - this.#readAt < READ_INTERVAL_MS) return;
    this.#readAt = now;
    this.#accountedMs = this.#readAccountedMs();
  }

  /** The start of the gap from which the watchdog has just woken; undefined when there was none. */
  afterSleep(plannedWakeAt: number, now: number): number | undefined {
    const lateMs = now - plannedWakeAt;
    if (lateMs < MIN_SUSPENSION_MS) return undefined;
    const accountedMs = this.#readAccountedMs() - this.#accountedMs;
    this.#readAt = -Infinity;
    return accountedMs > lateMs / 2 ? undefined : plannedWakeAt;
  }

  close(): void {
    this.#ownTimes?.close();
  }

  /** ms that the scheduler accounts for: running or waiting to run. */
  #readAccountedMs(): number {
    const times = this.#ownTimes?.read();
    return times ? times.cpuMs + (times.runQueueMs ?? 0) : 0;
  }
}
