import { SHARED_CLOCK_OFFSET, type Clock } from '../contract/clock.js';
import type { Reading, ThreadTimes } from '../contract/model.js';
import { SlotTime } from '../contract/registry-layout.js';
import type { Slot } from '../contract/registry.js';
import { BusyPeriods, NO_IDLE_MS } from './busy-periods.js';
import { Heartbeat, heartbeatInterval } from './heartbeat.js';
import type { RootTimers } from './root-timers.js';
import { TickPace } from './tick-pace.js';

export interface LoopObserver {
  /**
   * Called in the loop's first iteration, then with every heartbeat. All busy periods that ended before `periodStart`
   * have been reported.
   */
  onBeat(periodStart: number): void;
  /** Called once the application's entry point has been evaluated. */
  onAppStarted(): void;
  /** Called when the thread was busy for at least the threshold; `isStartUp`: perhaps with the start-up. */
  onBusyPeriod(start: number, end: number, isStartUp: boolean): void;
  /** Called when the heartbeat, due every `intervalMs`, came at `at`, `lagMs` late. */
  onLag(lagMs: number, intervalMs: number, at: number): void;
  /** Called with an error of our own callbacks, which would end the application; must not throw itself. */
  onError(error: unknown): void;
}

export interface LoopMonitorOptions {
  readonly clock: Clock;
  readonly timers: RootTimers;
  readonly slot: Slot | undefined;
  readonly readThreadTimes: () => ThreadTimes | undefined;
  readonly isAppStarted: () => boolean;
  /** Whether an idle loop can be told from a blocked one. */
  readonly mayEnterIdleMode: () => boolean;
  readonly observer: LoopObserver;
}

/** Interval of readings, ms: one costs more than the rest of a heartbeat, and need not be made right before a block. */
const READING_INTERVAL_MS = 200;
/** A reading at most this far from a checkpoint, ms, was made at that checkpoint. */
const CHECKPOINT_TOLERANCE_MS = 1;
/** Interval of timed ticks, ms: a block's start is wrong by half of it at most. */
const TIMED_TICK_MS = 2;
/** Smallest threshold with timed ticks, ms: their error of 1 to 2 ms could lift a busy period over a smaller one. */
const MIN_TIMED_THRESHOLD_MS = 50;
/** Enough to find a reading from before a block that is reported late. */
const MAX_READINGS = 8;

/** Monitors one thread's loop: ticks in each iteration or by a timer, runs the heartbeat, writes the thread's slot. */
export class LoopMonitor {
  readonly #options: LoopMonitorOptions;
  readonly #busyPeriods: BusyPeriods;
  readonly #heartbeat: Heartbeat;
  readonly #tickPace = new TickPace();
  /** Either the immediate or the timer is armed. */
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
        const isRunning = this.#iterations > 0; // a loop that has not run yet cannot be late
        if (isRunning && !this.#isStartUp) observer.onLag(lagMs, intervalMs, at);
      },
      onError: (error) => {
        observer.onError(error);
      },
    });
  }

  /** Starts monitoring, or changes the threshold. */
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

  /** The current busy period, up to now. */
  currentPeriod(): { readonly start: number; readonly end: number } {
    const end = this.#options.clock.now();
    const idleMs = this.#options.clock.idleTime() - this.#busyPeriods.idleTime;
    return { start: idleMs > NO_IDLE_MS ? this.#busyPeriods.at + idleMs : this.#busyPeriods.periodStart, end };
  }

  /** Whether the current busy period may be at least `ms` long. Cheap: it does not read the idle time. */
  isLate(now: number, ms: number): boolean {
    return this.#iterations > 0 && now - this.#busyPeriods.periodStart >= ms;
  }

  /** Makes each callback that the event loop calls here call `mark` once. */
  markOwnFunctions(mark: () => void): void {
    this.#pendingMark = mark;
    this.#heartbeat.markOwnFunction(mark);
  }

  /** Reports the lags of skipped beats that would otherwise be reported in the next iteration. */
  flushLags(): void {
    this.#heartbeat.flush(this.currentPeriod().start);
  }

  /** Called at exit: ends the busy period of the last iteration, which has no tick. */
  flush(): void {
    if (this.#iterations > 0) this.#busyPeriods.tick();
  }

  /** The last reading before an interval and the first after it, which is taken now when there is none. */
  readingsAround(start: number, end: number): { before: Reading | undefined; after: Reading } {
    const before = this.#readings.findLast((reading) => reading.at <= start + CHECKPOINT_TOLERANCE_MS);
    // A heartbeat takes one when the callback that blocked has just returned.
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

  /** Takes a reading at intervals, and always when a callback that blocked has just returned. */
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
