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
  #usedMs = 0;
  #readAt = -Infinity;

  constructor(ownTimes: ThreadTimesReader | undefined) {
    this.#ownTimes = ownTimes;
  }

  /** Called before each sleep; the scheduler is asked about once a second. */
  beforeSleep(now: number): void {
    if (now - this.#readAt < READ_INTERVAL_MS) return;
    this.#readAt = now;
    this.#usedMs = this.#readUsed();
  }

  /** The start of the gap from which the watchdog has just woken; undefined when there was none. */
  afterSleep(wantedAt: number, now: number): number | undefined {
    const lateMs = now - wantedAt;
    if (lateMs < MIN_SUSPENSION_MS) return undefined;
    const usedMs = this.#readUsed() - this.#usedMs;
    this.#readAt = -Infinity;
    return usedMs > lateMs / 2 ? undefined : wantedAt;
  }

  close(): void {
    this.#ownTimes?.close();
  }

  /** ms that the scheduler accounts for: running or waiting to run. */
  #readUsed(): number {
    const times = this.#ownTimes?.read();
    return times ? times.cpuMs + (times.runQueueMs ?? 0) : 0;
  }
}
