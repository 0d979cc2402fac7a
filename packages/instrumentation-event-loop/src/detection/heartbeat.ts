import { Math } from '../contract/built-ins.js';
import { IdleMode, SlotInt } from '../contract/registry-layout.js';
import type { Slot } from '../contract/slots.js';
import type { RootTimers } from './root-timers.js';

/** Interval of the heartbeat, ms: half the threshold, within bounds. */
export function heartbeatInterval(thresholdMs: number): number {
  return Math.min(50, Math.max(5, thresholdMs / 2));
}

/**
 * Age of the last tick, ms, from which a thread is suspected of being blocked: half the threshold, but longer than an
 * idle loop goes without a heartbeat.
 */
export function suspicionDelay(thresholdMs: number): number {
  return Math.max(thresholdMs / 2, heartbeatInterval(thresholdMs) * 1.5 + 2);
}

export interface HeartbeatOptions {
  readonly now: () => number;
  readonly timers: RootTimers;
  readonly slot: Slot | undefined;
  /** Whether an idle loop can be told from a blocked one. */
  readonly mayEnterIdleMode: () => boolean;
  /** Called in the timers phase, after the timers that were due earlier. */
  readonly onBeat: (now: number) => void;
  /** Called when the beat that was due `intervalMs` after the previous one came at `at`, `lagMs` late. */
  readonly onLag: (lagMs: number, intervalMs: number, at: number) => void;
  /** Called with an error that another callback throws in the timers phase; must not throw itself. */
  readonly onError: (error: unknown) => void;
}

/**
 * Idle time before the heartbeat slows down, ms. Idle: nothing but the heartbeat wakes the loop. Short, because each
 * event is followed by that much time with beats: with 500 ms, two events a second would cause 20 wakes a second.
 */
const QUIET_MS = 100;
/** Interval of the heartbeat in idle mode, ms. */
const IDLE_INTERVAL_MS = 1000;
/** How early a timer fires at most, ms: Node counts its delay from the loop's cached time, in whole milliseconds. */
const MAX_EARLY_MS = 5;

/**
 * The timer that bounds timer callbacks that block, and measures lag. While nothing else wakes the loop, the heartbeat
 * is in idle mode and wakes the loop 20 times less often. The first iteration that something else causes ends idle mode
 * in its check phase, before timer callbacks run. The lags of the skipped beats are reported all the same.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #intervalMs = 25;
  #timer: NodeJS.Timeout | undefined;
  /** Time of the last beat, or of the last skipped one. */
  #beatAt = 0;
  #iterations = 0;
  #quietSince = 0;
  #isIdleMode = false;
  /** When the next beat in idle mode is due. */
  #idleUntil = 0;
  /** The next iteration is the one that the heartbeat has requested. */
  #isOwnIteration = false;
  /** The last lag of an idle loop, ms: skipped beats are reported with it. */
  #idleLagMs = 0;
  #pendingMark: (() => void) | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** Starts the heartbeat, or changes its interval, ms. */
  start(intervalMs: number): void {
    if (this.#timer !== undefined && intervalMs === this.#intervalMs) return;
    this.#intervalMs = intervalMs;
    this.#resume(this.#options.now());
  }

  /** Whether nothing but the heartbeat wakes the loop. */
  get isIdleMode(): boolean {
    return this.#isIdleMode;
  }

  /** Begins again at `now`: what was before is no lag. */
  restart(now: number): void {
    this.#resume(now);
  }

  stop(): void {
    this.#options.timers.clearInterval(this.#timer);
    this.#timer = undefined;
    this.#setIdleMode(IdleMode.none);
  }

  /** Makes the timer's callback call `mark` once: the probe then knows the callback as a function of ours. */
  markOwnFunction(mark: () => void): void {
    this.#pendingMark = mark;
  }

  /**
   * Called at each tick, which in idle mode runs in the check phase of each iteration. The thread has been busy from
   * `busySince` to `now`. Allocates nothing while the loop is busy.
   */
  onIteration(busySince: number, now: number): void {
    this.#iterations++;
    if (!this.#isIdleMode) return;
    const isOwn = this.#isOwnIteration || now >= this.#idleUntil - MAX_EARLY_MS;
    const wokenLateMs = busySince - this.#idleUntil;
    if (wokenLateMs >= 0 && wokenLateMs < this.#intervalMs) this.#idleLagMs = wokenLateMs;
    this.#isOwnIteration = false;
    // Beats due after `#idleUntil` are late, whatever the reason: the timer should have woken the loop then.
    this.#reportSkippedBeats(Math.min(busySince, this.#idleUntil), now);
    if (!isOwn) this.#resume(now);
  }

  /**
   * Reports now the beats skipped until `busySince`, and the one that is late at `now`. A process that ends has no
   * further iteration for that, and a loop that has nothing left to do runs no unref'd timer.
   */
  flush(busySince: number, now: number): void {
    if (this.#timer === undefined) return;
    if (this.#isIdleMode) {
      this.#reportSkippedBeats(Math.min(busySince, this.#idleUntil), now);
      return;
    }
    // A pool worker sleeps within an iteration: its beat can be due before the thread is busy.
    const lagMs = now - Math.max(busySince, this.#beatAt + this.#intervalMs);
    if (lagMs <= 0) return;
    this.#beatAt = now;
    this.#options.onLag(lagMs, this.#intervalMs, now);
  }

  readonly #onTimer = (): void => {
    try {
      const now = this.#options.now();
      if (this.#pendingMark) {
        this.#pendingMark();
        this.#pendingMark = undefined;
      }
      if (this.#isIdleMode) this.#beatInIdleMode(now);
      else this.#beat(now);
    } catch (error) {
      this.#options.onError(error);
    }
  };

  #beat(now: number): void {
    const { onBeat, onLag } = this.#options;
    const lagMs = Math.max(0, now - this.#beatAt - this.#intervalMs);
    const isQuiet = this.#iterations <= 1 && lagMs < this.#intervalMs;
    if (isQuiet) this.#idleLagMs = lagMs;
    this.#beatAt = now;
    this.#iterations = 0;
    onBeat(now);
    onLag(lagMs, this.#intervalMs, now);
    if (!isQuiet) this.#leaveIdleMode(now);
    else if (now - this.#quietSince >= QUIET_MS) this.#enterIdleMode(now);
  }

  /** The lag of this beat has been reported by `onIteration`, in the check phase before it. */
  #beatInIdleMode(now: number): void {
    this.#idleUntil = now + IDLE_INTERVAL_MS;
    // Without one more iteration, timer callbacks after this one would have no checkpoint before the loop sleeps again.
    this.#isOwnIteration = true;
    this.#options.timers.iterateOnce();
    this.#options.onBeat(now);
  }

  /** Reports the skipped beats that would have come in time, and the first that would have been late. */
  #reportSkippedBeats(lateSince: number, now: number): void {
    const { onLag } = this.#options;
    const intervalMs = this.#intervalMs;
    for (let dueAt = this.#beatAt + intervalMs; dueAt <= now; dueAt += intervalMs) {
      const isBeatLate = dueAt > lateSince;
      this.#beatAt = isBeatLate ? now : dueAt;
      onLag(isBeatLate ? now - dueAt : this.#idleLagMs, intervalMs, this.#beatAt);
      if (isBeatLate) return;
    }
  }

  /** Called when something other than the heartbeat has woken the loop: the idle time begins again. */
  #leaveIdleMode(now: number): void {
    this.#quietSince = now;
    this.#setIdleMode(IdleMode.none);
  }

  #enterIdleMode(now: number): void {
    if (!this.#options.mayEnterIdleMode()) {
      this.#setIdleMode(IdleMode.wanted);
      return;
    }
    this.#isIdleMode = true;
    this.#idleUntil = now + IDLE_INTERVAL_MS;
    this.#arm(IDLE_INTERVAL_MS);
    this.#setIdleMode(IdleMode.active);
  }

  #resume(now: number): void {
    this.#isIdleMode = false;
    this.#isOwnIteration = false;
    this.#beatAt = now;
    this.#iterations = 0;
    this.#leaveIdleMode(now);
    this.#arm(this.#intervalMs);
  }

  #arm(ms: number): void {
    const { timers } = this.#options;
    timers.clearInterval(this.#timer);
    this.#timer = timers.setInterval(this.#onTimer, ms);
  }

  #setIdleMode(mode: number): void {
    const { slot } = this.#options;
    if (slot && slot.getInt(SlotInt.idleMode) !== mode) slot.setInt(SlotInt.idleMode, mode);
  }
}
