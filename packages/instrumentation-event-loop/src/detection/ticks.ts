import type { RootTimers } from './root-timers.js';
import { TickPace } from './tick-pace.js';

/** Interval of timed ticks, ms: a block's start is wrong by half of it at most. */
const TIMED_TICK_MS = 2;
/** Smallest threshold with timed ticks, ms: their error of 1 to 2 ms could lift a busy period over a smaller one. */
const MIN_TIMED_THRESHOLD_MS = 50;

type Timers = Pick<RootTimers, 'setImmediate' | 'rearmImmediate' | 'clearImmediate' | 'setInterval' | 'clearInterval'>;

/** Calls back in the check phase of each iteration, or by a timer where iterations are many and short. */
export class Ticks {
  readonly #timers: Timers;
  readonly #onTick: () => void;
  readonly #pace = new TickPace();
  /** Either the immediate or the timer is armed. */
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(timers: Timers, onTick: () => void) {
    this.#timers = timers;
    this.#onTick = onTick;
  }

  /** Arms the first tick; does nothing while one is armed. */
  start(): void {
    if (!this.#timer) this.#immediate ??= this.#timers.setImmediate(this.#onTick);
  }

  /**
   * Arms the tick after the one at `at`, when the loop had been idle for `idleTime`. Returns in how many ms it comes where
   * it is timed, else undefined.
   */
  next(at: number, idleTime: number, thresholdMs: number): number | undefined {
    const timers = this.#timers;
    if (this.#pace.isTimedAfter(at, idleTime) && thresholdMs >= MIN_TIMED_THRESHOLD_MS) {
      this.#immediate = undefined;
      this.#timer ??= timers.setInterval(this.#onTick, TIMED_TICK_MS);
      return TIMED_TICK_MS;
    }
    if (this.#timer) {
      timers.clearInterval(this.#timer);
      this.#timer = undefined;
    }
    this.#immediate = timers.rearmImmediate(this.#onTick);
    return undefined;
  }

  stop(): void {
    this.#timers.clearImmediate(this.#immediate);
    this.#timers.clearInterval(this.#timer);
    this.#immediate = undefined;
    this.#timer = undefined;
    this.#pace.reset();
  }
}
