import { SHARED_CLOCK_OFFSET, type Clock } from '../contract/clock.js';
import { BusyPeriods, NO_IDLE_MS } from './busy-periods.js';
import { Heartbeat, heartbeatInterval } from './heartbeat.js';
import type { Reading, ThreadTimes } from '../contract/model.js';
import { SlotTime } from '../contract/registry-layout.js';
import type { Slot } from '../contract/registry.js';
import type { RootTimers } from './root-timers.js';
import { TickPace } from './tick-pace.js';

export interface LoopObserver {
  /** The loop turns: at its first turn, then with every heartbeat. All runs that ended before `runStart` are told. */
  onBeat(periodStart: number): void;
  /** The application's entry point has been evaluated. */
  onAppStarted(): void;
  /** The thread was busy from `start` to `end`, for at least the threshold; `isLoading`: perhaps with its own start-up. */
  onBusyPeriod(start: number, end: number, isStartUp: boolean): void;
  /** The heartbeat that is due every `intervalMs` came `lagMs` late at `at`. */
  onLag(lagMs: number, intervalMs: number, at: number): void;
  /** Something of ours has thrown; must not throw itself. Node would end the application for what a callback throws. */
  onError(error: unknown): void;
}

export interface LoopMonitorOptions {
  readonly clock: Clock;
  readonly timers: RootTimers;
  readonly slot: Slot | undefined;
  readonly readThreadTimes: () => ThreadTimes | undefined;
  readonly isAppStarted: () => boolean;
  /** Whether a loop that does not turn for a while is not taken for a blocked one. */
  readonly mayEnterIdleMode: () => boolean;
  readonly observer: LoopObserver;
}

/** A reading costs more than the rest of a heartbeat, and one a while before a block serves as well, ms. */
const READING_INTERVAL_MS = 200;
/** A reading so close to a checkpoint, in ms, was made at it. */
const CHECKPOINT_TOLERANCE_MS = 1;
/** Between timed ticks, ms: half of it is what a block's start is off at the most. */
const TIMED_TICK_MS = 2;
/** Below that threshold, in ms, the one or two that a timed tick is off would tell what was none. */
const MIN_TIMED_THRESHOLD_MS = 50;
/** Readings kept: enough to find one before any block that is told late. */
const MAX_READINGS = 8;

/** Watches one thread's loop: a tick in each turn or by a timer, a heartbeat, and the thread's slot for the watchdog. */
export class LoopMonitor {
  readonly #options: LoopMonitorOptions;
  readonly #busyPeriods: BusyPeriods;
  readonly #heartbeat: Heartbeat;
  readonly #tickPace = new TickPace();
  /** One of the two is armed. */
  #immediate: NodeJS.Immediate | undefined;
  #tickTimer: NodeJS.Timeout | undefined;
  #iterations = 0;
  #isStartUp = true;
  #pendingMark: (() => void) | undefined;
  #readings: Reading[] = [];

  constructor(options: LoopMonitorOptions) {
    this.#options = options;
    const { clock, timers, slot, mayEnterIdleMode, observer } = options;
    this.#busyPeriods = new BusyPeriods(clock, (start, end) => {
      try {
        observer.onBusyPeriod(start, end, this.#isStartUp);
      } catch (error) {
        observer.onError(error);
      }
    });
    this.#heartbeat = new Heartbeat({
      now: clock.now,
      timers,
      slot,
      mayEnterIdleMode,
      onBeat: this.#onBeat,
      onLag: (lagMs, intervalMs, at) => {
        const isRunning = this.#iterations > 0; // before that the loop was not there to be late
        if (isRunning && !this.#isStartUp) observer.onLag(lagMs, intervalMs, at);
      },
      onError: (error) => {
        observer.onError(error);
      },
    });
  }

  /** Starts, or goes on with another threshold. */
  start(thresholdMs: number): void {
    this.#busyPeriods.minMs = thresholdMs;
    this.#heartbeat.start(heartbeatInterval(thresholdMs));
    if (this.#readings.length === 0) this.#readings.push(this.#takeReading());
    if (!this.#tickTimer) this.#immediate ??= this.#options.timers.setImmediate(this.#onTick);
  }

  stop(): void {
    const { timers, slot } = this.#options;
    this.#heartbeat.stop();
    timers.clearImmediate(this.#immediate);
    timers.clearInterval(this.#tickTimer);
    this.#immediate = undefined;
    this.#tickTimer = undefined;
    this.#tickPace.reset();
    slot?.setTime(SlotTime.tickAt, 0);
  }

  /** The run that is under way; its end is now. */
  currentPeriod(): { readonly start: number; readonly end: number } {
    const end = this.#options.clock.now();
    const idleMs = this.#options.clock.idleTime() - this.#busyPeriods.idleTime;
    return { start: idleMs > NO_IDLE_MS ? this.#busyPeriods.at + idleMs : this.#busyPeriods.periodStart, end };
  }

  /** Whether a run of at least `ms` may be under way: as cheap as can be asked. */
  isLate(now: number, ms: number): boolean {
    return this.#iterations > 0 && now - this.#busyPeriods.periodStart >= ms;
  }

  /** Has `mark` called once by each function that the event loop calls here. */
  markOwnFunctions(mark: () => void): void {
    this.#pendingMark = mark;
    this.#heartbeat.markOwnFunction(mark);
  }

  /** Tells the lags of a loop at rest that wait for its next turn. */
  flushLags(): void {
    this.#heartbeat.flush(this.currentPeriod().start);
  }

  /** At exit: the turn that will not end, ends here. */
  flush(): void {
    if (this.#iterations > 0) this.#busyPeriods.tick();
  }

  /** The last readings before and after a stretch; the one after is taken now when there is none. */
  readingsAround(start: number, end: number): { before: Reading | undefined; after: Reading } {
    const before = this.#readings.findLast((reading) => reading.at <= start + CHECKPOINT_TOLERANCE_MS);
    // A heartbeat reads when the callback that blocked has just returned.
    const after = this.#readings.find((reading) => reading.at >= end - CHECKPOINT_TOLERANCE_MS) ?? this.#takeReading();
    return { before, after };
  }

  readonly #onTick = (): void => {
    const options = this.#options;
    const busyPeriods = this.#busyPeriods;
    try {
      if (this.#iterations === 0) this.#firstIteration();
      else busyPeriods.tick();
      this.#iterations++;
      if (this.#pendingMark) {
        this.#pendingMark();
        this.#pendingMark = undefined;
      }
      if (this.#isStartUp && options.isAppStarted()) {
        this.#isStartUp = false;
        options.observer.onAppStarted();
      }
      this.#heartbeat.onIteration(busyPeriods.iterationPeriodStart, busyPeriods.at);
    } catch (error) {
      options.observer.onError(error);
    }
    options.slot?.setTime(SlotTime.tickAt, busyPeriods.at + SHARED_CLOCK_OFFSET);
    this.#arm(
      this.#tickPace.isTimedAfter(busyPeriods.at, busyPeriods.idleTime) && busyPeriods.minMs >= MIN_TIMED_THRESHOLD_MS,
    );
  };

  #arm(isTimed: boolean): void {
    const { timers } = this.#options;
    if (isTimed) {
      this.#immediate = undefined;
      this.#busyPeriods.expectNextAfter(TIMED_TICK_MS);
      this.#tickTimer ??= timers.setInterval(this.#onTick, TIMED_TICK_MS);
      return;
    }
    if (this.#tickTimer) {
      timers.clearInterval(this.#tickTimer);
      this.#tickTimer = undefined;
    }
    this.#immediate = timers.rearmImmediate(this.#onTick);
  }

  readonly #onBeat = (now: number): void => {
    if (this.#iterations === 0) return;
    this.#busyPeriods.heartbeat();
    this.#keepReadingIfDue(now);
    this.#options.observer.onBeat(this.#busyPeriods.periodStart);
  };

  /** Keeps a reading now and then, and always when a callback that blocked has just returned. */
  #keepReadingIfDue(now: number): void {
    const last = this.#readings.at(-1);
    if (last && now - last.at < READING_INTERVAL_MS && now - this.#busyPeriods.periodStart < this.#busyPeriods.minMs)
      return;
    this.#readings.push(this.#takeReading());
    if (this.#readings.length > MAX_READINGS) this.#readings.shift();
  }

  #firstIteration(): void {
    const { minMs } = this.#busyPeriods;
    this.#busyPeriods.minMs = Infinity; // what ran before the loop is start-up
    this.#busyPeriods.tick();
    this.#busyPeriods.minMs = minMs;
    this.#readings.push(this.#takeReading());
    this.#options.observer.onBeat(this.#busyPeriods.periodStart);
  }

  #takeReading(): Reading {
    const { clock, readThreadTimes } = this.#options;
    return { at: clock.now(), idleTime: clock.idleTime(), times: readThreadTimes() };
  }
}
