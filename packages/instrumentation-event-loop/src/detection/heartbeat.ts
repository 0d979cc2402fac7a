import { IdleMode, SlotInt } from '../contract/registry-layout.js';
import type { Slot } from '../contract/registry.js';
import type { RootTimers } from './root-timers.js';

/** How often the heartbeat beats, ms: as often as the threshold needs. */
export function heartbeatInterval(thresholdMs: number): number {
  return Math.min(50, Math.max(5, thresholdMs / 2));
}

/** Age of an iteration, ms, from which it is suspected of being blocked: half the threshold, but later than a beat on an idle loop. */
export function suspicionDelay(thresholdMs: number): number {
  return Math.max(thresholdMs / 2, heartbeatInterval(thresholdMs) * 1.5 + 2);
}

export interface HeartbeatOptions {
  readonly now: () => number;
  readonly timers: RootTimers;
  readonly slot: Slot | undefined;
  /** Whether a loop that does not turn for a while is not taken for a blocked one. */
  readonly mayEnterIdleMode: () => boolean;
  /** In the timers phase, after the timers that were due before it. */
  readonly onBeat: (now: number) => void;
  /** The beat that was due `intervalMs` after the one before it came `lagMs` late at `at`. */
  readonly onLag: (lagMs: number, intervalMs: number, at: number) => void;
  /** Takes what the others threw in the timers phase; must not throw itself. */
  readonly onError: (error: unknown) => void;
}

/**
 * How long nothing but the heartbeat has turned the loop when it begins to rest, ms. Little: with half a second of beats after
 * each event, a process that has two a second would pay for twenty wakes.
 */
const QUIET_MS = 100;
/** The interval at rest, ms. */
const IDLE_INTERVAL_MS = 1000;
/** A timer comes that much early at the most, ms: its due time counts from the loop's cached time, in whole milliseconds. */
const MAX_EARLY_MS = 5;

/**
 * The timer that bounds timer callbacks that block, and measures lag. While nothing else turns the loop it rests: it wakes
 * the loop twenty times less, and the turn that is somebody else's brings it back before the callbacks of timers run. The
 * lags of the beats that it left out are told all the same.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #intervalMs = 25;
  #timer: NodeJS.Timeout | undefined;
  /** The last beat, or the last that was left out. */
  #beatAt = 0;
  #iterations = 0;
  #quietSince = 0;
  #isIdleMode = false;
  /** Until when it rests if nobody wakes the loop. */
  #idleUntil = 0;
  /** The next turn is the one that the heartbeat asked for. */
  #isOwnIteration = false;
  /** How late the idle loop was of late, ms. */
  #idleLagMs = 0;
  #pendingMark: (() => void) | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** Starts, or goes on at another interval, ms. */
  start(intervalMs: number): void {
    if (this.#timer !== undefined && intervalMs === this.#intervalMs) return;
    this.#intervalMs = intervalMs;
    this.#resume(this.#options.now());
  }

  stop(): void {
    this.#options.timers.clearInterval(this.#timer);
    this.#timer = undefined;
    this.#setIdleMode(IdleMode.none);
  }

  /** Has `mark` called once by the function that the event loop calls. */
  markOwnFunction(mark: () => void): void {
    this.#pendingMark = mark;
  }

  /**
   * Called at each tick, at rest in the check phase of each turn; the thread has been busy from `busySince` until now.
   * Allocates nothing while the loop is busy.
   */
  onIteration(busySince: number, now: number): void {
    this.#iterations++;
    if (!this.#isIdleMode) return;
    const isOwn = this.#isOwnIteration || now >= this.#idleUntil - MAX_EARLY_MS;
    const wokenLateMs = busySince - this.#idleUntil;
    if (wokenLateMs >= 0 && wokenLateMs < this.#intervalMs) this.#idleLagMs = wokenLateMs;
    this.#isOwnIteration = false;
    // A beat that is due later than it should have woken the loop is late, whatever kept it: a suspension, too.
    this.#reportSkippedBeats(Math.min(busySince, this.#idleUntil), now);
    if (!isOwn) this.#resume(now);
  }

  /** Tells now the beats that were left out until `busySince`: a process that ends has no further turn to tell them. */
  flush(busySince: number): void {
    const idleUntil = Math.min(busySince, this.#idleUntil);
    if (this.#isIdleMode) this.#reportSkippedBeats(idleUntil, idleUntil);
  }

  readonly #onTimer = (): void => {
    const now = this.#options.now();
    try {
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

  /** The turn that this beat woke the loop for has told its lag. */
  #beatInIdleMode(now: number): void {
    this.#idleUntil = now + IDLE_INTERVAL_MS;
    // Timer callbacks after this one would not be bounded before the loop sleeps again.
    this.#isOwnIteration = true;
    this.#options.timers.iterateOnce();
    this.#options.onBeat(now);
  }

  /** The beats since the last one that would have come in time, and the first that would have had to wait. */
  #reportSkippedBeats(lateSince: number, now: number): void {
    const { onLag } = this.#options;
    const intervalMs = this.#intervalMs;
    for (let dueAt = this.#beatAt + intervalMs; dueAt <= now; dueAt += intervalMs) {
      const isLate = dueAt > lateSince;
      this.#beatAt = isLate ? now : dueAt;
      onLag(isLate ? now - dueAt : this.#idleLagMs, intervalMs, this.#beatAt);
      if (isLate) return;
    }
  }

  /** Something else turns the loop. */
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
