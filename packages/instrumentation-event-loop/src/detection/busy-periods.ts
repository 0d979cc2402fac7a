import type { Clock } from '../contract/clock.js';

/** Below this, in ms, a poll phase returned at once: the events before and after it waited for the same run. */
export const NO_IDLE_MS = 0.5;

/**
 * Cuts the thread's time into busy runs, by two kinds of checkpoint.
 *
 * A turn of the loop is `timers → poll → check`. The tick stands in the check phase and ends a turn; the heartbeat stands
 * in the timers phase, so that a timer callback that blocks is bounded by the tick before it and the heartbeat after it,
 * without the idle poll that follows. Between two checkpoints idle time comes first: the busy run is what is left, at the
 * end.
 *
 * Runs on every turn of the loop: it allocates nothing.
 */
export class BusyPeriods {
  readonly #clock: Clock;
  readonly #onBusyPeriod: (start: number, end: number) => void;
  #at: number;
  #idleTime: number;
  #periodStart: number;
  #iterationPeriodStart: number;
  /** Runs that last at least so long, in ms, are told. */
  minMs = Infinity;

  constructor(clock: Clock, onBusyPeriod: (start: number, end: number) => void) {
    this.#clock = clock;
    this.#onBusyPeriod = onBusyPeriod;
    this.#at = clock.now();
    this.#idleTime = clock.idleTime();
    this.#periodStart = this.#at;
    this.#iterationPeriodStart = this.#at;
  }

  /** Start of the run with which the last turn ended. */
  get iterationPeriodStart(): number {
    return this.#iterationPeriodStart;
  }

  /** Start of the run that is under way. */
  get periodStart(): number {
    return this.#periodStart;
  }

  /** The last checkpoint. */
  get at(): number {
    return this.#at;
  }

  /** Idle time of the loop at the last checkpoint. */
  get idleTime(): number {
    return this.#idleTime;
  }

  /**
   * The turns to come are small, and the next checkpoint is `ms` away: a callback that blocks before it will have begun
   * anywhere between the two. The middle is the least off.
   */
  expectNextAfter(ms: number): void {
    this.#periodStart = this.#at + ms / 2;
  }

  /** A checkpoint within a turn: closes the run before an idle poll; a run without one goes on. */
  heartbeat(): void {
    const now = this.#clock.now();
    const idle = this.#clock.idleTime();
    const idleMs = idle - this.#idleTime;
    if (idleMs > NO_IDLE_MS) {
      if (this.#at - this.#periodStart >= this.minMs) this.#onBusyPeriod(this.#periodStart, this.#at);
      this.#periodStart = Math.min(now, this.#at + idleMs);
    }
    this.#at = now;
    this.#idleTime = idle;
  }

  /** The checkpoint at the end of a turn: no run goes beyond it. */
  tick(): void {
    this.heartbeat();
    if (this.#at - this.#periodStart >= this.minMs) this.#onBusyPeriod(this.#periodStart, this.#at);
    this.#iterationPeriodStart = this.#periodStart;
    this.#periodStart = this.#at;
  }
}
