import { Math } from '../contract/built-ins.js';
import type { Clock } from '../contract/clock.js';

/** Idle time, ms, up to which a poll phase returned at once: the work before and after it is one busy period. */
export const NO_IDLE_MS = 0.5;

/**
 * Divides the thread's time into busy periods, at two kinds of checkpoint.
 *
 * An iteration of the loop is `timers → poll → check`. The tick runs in the check phase and ends the iteration. The
 * heartbeat runs in the timers phase: a timer callback that blocks lies between the tick before it and the heartbeat
 * after it, so that its busy period does not include the idle poll that follows. Between two checkpoints, idle time
 * comes first and the rest is busy.
 *
 * Runs in every iteration of the loop, so it allocates nothing.
 */
export class BusyPeriods {
  readonly #clock: Clock;
  readonly #onBusyPeriod: (start: number, end: number) => void;
  #at: number;
  #idleTime: number;
  #periodStart: number;
  #iterationPeriodStart: number;
  #lastIdleMs = 0;
  /** Start of the busy period that `endBlockSoFar` has ended in this iteration. */
  #endedPeriodStart: number | undefined;
  #asleepMs = 0;
  /** Busy periods of at least this length, ms, are reported. */
  minMs = Infinity;

  constructor(clock: Clock, onBusyPeriod: (start: number, end: number) => void) {
    this.#clock = clock;
    this.#onBusyPeriod = onBusyPeriod;
    this.#at = clock.now();
    this.#idleTime = clock.idleTime();
    this.#periodStart = this.#at;
    this.#iterationPeriodStart = this.#at;
  }

  /** Start of the busy period that the last tick ended; since then the loop has not been idle. */
  get iterationPeriodStart(): number {
    return this.#iterationPeriodStart;
  }

  /** Start of the current busy period. */
  get periodStart(): number {
    return this.#periodStart;
  }

  /** Time of the last checkpoint. */
  get at(): number {
    return this.#at;
  }

  /** Idle time of the loop at the last checkpoint. */
  get idleTime(): number {
    return this.#idleTime;
  }

  /** For how long the loop has been idle before the last checkpoint, ms. */
  get lastIdleMs(): number {
    return this.#lastIdleMs;
  }

  /**
   * Called when short iterations follow and the next checkpoint is `ms` away. A callback that blocks can begin anywhere
   * before that checkpoint; the middle has the smallest maximum error, so it is taken as the start of the busy period.
   */
  expectNextAfter(ms: number): void {
    this.#periodStart = this.#at + ms / 2;
  }

  /** A checkpoint within an iteration: ends the busy period if the loop has been idle since the last checkpoint. */
  heartbeat(): void {
    const now = this.#clock.now();
    const idleTime = this.#clock.idleTime();
    const idleMs = idleTime - this.#idleTime;
    this.#lastIdleMs = idleMs;
    if (idleMs > NO_IDLE_MS) this.#endPeriod(this.#at, Math.min(now, this.#at + idleMs));
    this.#at = now;
    this.#idleTime = idleTime;
  }

  /** Ends the busy period at a time in the past, where it has not ended yet. */
  endAt(time: number): void {
    this.#endPeriod(time, Math.max(this.#periodStart, time));
  }

  /**
   * The next period begins before this one is reported: the report may call code of the application that flushes, or that
   * ends the process, and it is not to be reported once more then.
   */
  #endPeriod(end: number, nextStart: number): void {
    const start = this.#periodStart;
    this.#periodStart = nextStart;
    if (end - start >= this.minMs) this.#onBusyPeriod(start, end);
  }

  /** Ends the busy period within an iteration, where it is long enough to be reported. Returns whether it has. */
  endBlockSoFar(): boolean {
    this.heartbeat();
    if (this.#at - this.#periodStart < this.minMs) return false;
    this.#endedPeriodStart ??= this.#periodStart;
    this.#endPeriod(this.#at, this.#at);
    return true;
  }

  /** For how long the thread has slept without leaving its iteration, as far as `begin` has ended the sleeps, ms. */
  get asleepMs(): number {
    return this.#asleepMs;
  }

  /** Begins a busy period now, after a sleep. */
  begin(): void {
    const sleptAt = Math.max(this.#at, this.#periodStart);
    this.#at = this.#clock.now();
    this.#asleepMs += Math.max(0, this.#at - sleptAt);
    this.#periodStart = this.#at;
  }

  /** The checkpoint at the end of an iteration: always ends the busy period. */
  tick(): void {
    this.heartbeat();
    this.#iterationPeriodStart = this.#endedPeriodStart ?? this.#periodStart;
    this.#endedPeriodStart = undefined;
    this.#endPeriod(this.#at, this.#at);
  }
}
