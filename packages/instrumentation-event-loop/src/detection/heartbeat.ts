import { Rest, SlotInt, type Slot } from '../contract/registry.js';
import type { RootTimers } from './root-timers.js';

export interface HeartbeatOptions {
  readonly now: () => number;
  readonly timers: RootTimers;
  readonly slot: Slot | undefined;
  /** Whether a loop that does not turn for a while is not taken for a blocked one. */
  readonly mayRest: () => boolean;
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
const REST_MS = 1000;
/** A timer comes that much early at the most, ms: its due time counts from the loop's cached time, in whole milliseconds. */
const EARLY_MS = 5;

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
  #turns = 0;
  #quietSince = 0;
  #isResting = false;
  /** Until when it rests if nobody wakes the loop. */
  #restUntil = 0;
  /** The next turn is the one that the heartbeat asked for. */
  #isOwnTurn = false;
  /** How late the idle loop was of late, ms. */
  #idleLagMs = 0;
  #mark: (() => void) | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** Starts, or goes on at another interval, ms. */
  start(intervalMs: number): void {
    if (this.#timer !== undefined && intervalMs === this.#intervalMs) return;
    this.#intervalMs = intervalMs;
    this.#wake(this.#options.now());
  }

  stop(): void {
    this.#options.timers.clearInterval(this.#timer);
    this.#timer = undefined;
    this.#tellRest(Rest.none);
  }

  /** Has `mark` called once by the function that the event loop calls. */
  markOwnFunction(mark: () => void): void {
    this.#mark = mark;
  }

  /**
   * Called at each tick, at rest in the check phase of each turn; the thread has been busy from `busySince` until now.
   * Allocates nothing while the loop is busy.
   */
  onTurn(busySince: number, now: number): void {
    this.#turns++;
    if (!this.#isResting) return;
    const isOwn = this.#isOwnTurn || now >= this.#restUntil - EARLY_MS;
    const wokenLateMs = busySince - this.#restUntil;
    if (wokenLateMs >= 0 && wokenLateMs < this.#intervalMs) this.#idleLagMs = wokenLateMs;
    this.#isOwnTurn = false;
    // A beat that is due later than it should have woken the loop is late, whatever kept it: a suspension, too.
    this.#tellLeftOut(Math.min(busySince, this.#restUntil), now);
    if (!isOwn) this.#wake(now);
  }

  /** Tells now the beats that were left out until `busySince`: a process that ends has no further turn to tell them. */
  flush(busySince: number): void {
    const idleUntil = Math.min(busySince, this.#restUntil);
    if (this.#isResting) this.#tellLeftOut(idleUntil, idleUntil);
  }

  readonly #onTimer = (): void => {
    const now = this.#options.now();
    try {
      if (this.#mark) {
        this.#mark();
        this.#mark = undefined;
      }
      if (this.#isResting) this.#beatAtRest(now);
      else this.#beat(now);
    } catch (error) {
      this.#options.onError(error);
    }
  };

  #beat(now: number): void {
    const { onBeat, onLag } = this.#options;
    const lagMs = Math.max(0, now - this.#beatAt - this.#intervalMs);
    const isQuiet = this.#turns <= 1 && lagMs < this.#intervalMs;
    if (isQuiet) this.#idleLagMs = lagMs;
    this.#beatAt = now;
    this.#turns = 0;
    onBeat(now);
    onLag(lagMs, this.#intervalMs, now);
    if (!isQuiet) this.#stir(now);
    else if (now - this.#quietSince >= QUIET_MS) this.#rest(now);
  }

  /** The turn that this beat woke the loop for has told its lag. */
  #beatAtRest(now: number): void {
    this.#restUntil = now + REST_MS;
    // Timer callbacks after this one would not be bounded before the loop sleeps again.
    this.#isOwnTurn = true;
    this.#options.timers.turnOnce();
    this.#options.onBeat(now);
  }

  /** The beats since the last one that would have come in time, and the first that would have had to wait. */
  #tellLeftOut(lateSince: number, now: number): void {
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
  #stir(now: number): void {
    this.#quietSince = now;
    this.#tellRest(Rest.none);
  }

  #rest(now: number): void {
    if (!this.#options.mayRest()) {
      this.#tellRest(Rest.wanted);
      return;
    }
    this.#isResting = true;
    this.#restUntil = now + REST_MS;
    this.#arm(REST_MS);
    this.#tellRest(Rest.resting);
  }

  #wake(now: number): void {
    this.#isResting = false;
    this.#isOwnTurn = false;
    this.#beatAt = now;
    this.#turns = 0;
    this.#stir(now);
    this.#arm(this.#intervalMs);
  }

  #arm(ms: number): void {
    const { timers } = this.#options;
    timers.clearInterval(this.#timer);
    this.#timer = timers.setInterval(this.#onTimer, ms);
  }

  #tellRest(rest: number): void {
    const { slot } = this.#options;
    if (slot && slot.getInt(SlotInt.rest) !== rest) slot.setInt(SlotInt.rest, rest);
  }
}
