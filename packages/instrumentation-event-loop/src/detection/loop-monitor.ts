import { SHARED_CLOCK_OFFSET, type Clock } from '../contract/clock.js';
import type { StartUp, ThreadTimes } from '../contract/model.js';
import { SlotTime } from '../contract/registry-layout.js';
import type { Slot } from '../contract/slots.js';
import { BusyPeriods, NO_IDLE_MS } from './busy-periods.js';
import { Heartbeat, heartbeatInterval } from './heartbeat.js';
import { LoopLoad } from './loop-load.js';
import { Readings } from './readings.js';
import type { RootTimers } from './root-timers.js';
import { TickPace } from './tick-pace.js';

export interface LoopObserver {
  /**
   * Called when the entry point has been evaluated, in the loop's first iteration, then with every heartbeat. All busy
   * periods that ended before `periodStart` have been reported.
   */
  onBeat(periodStart: number): void;
  /** Called once, when the entry point has been evaluated or is seen to wait in a top-level `await`. */
  onAppStarted(): void;
  /** Called when the thread was busy for at least the threshold. */
  onBusyPeriod(start: number, end: number, startUp: StartUp): void;
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
  /** Calls back once the entry point has been evaluated; returns a function that cancels. */
  readonly whenEntryPointEvaluated: (callback: () => void) => () => void;
  /** Whether the application is seen to run in the loop, although its entry point may not have been evaluated. */
  readonly isAppStarted: () => boolean;
  /** Whether an idle loop can be told from a blocked one. */
  readonly mayEnterIdleMode: () => boolean;
  readonly observer: LoopObserver;
}

/** Interval of timed ticks, ms: a block's start is wrong by half of it at most. */
const TIMED_TICK_MS = 2;
/** Smallest threshold with timed ticks, ms: their error of 1 to 2 ms could lift a busy period over a smaller one. */
const MIN_TIMED_THRESHOLD_MS = 50;

/** Monitors one thread's loop: ticks in each iteration or by a timer, runs the heartbeat, writes the thread's slot. */
export class LoopMonitor {
  readonly #options: LoopMonitorOptions;
  readonly #busyPeriods: BusyPeriods;
  readonly #heartbeat: Heartbeat;
  readonly #readings: Readings;
  readonly #load: LoopLoad;
  readonly #tickPace = new TickPace();
  /** Either the immediate or the timer is armed. */
  #immediate: NodeJS.Immediate | undefined;
  #tickTimer: NodeJS.Timeout | undefined;
  /** The entry point has been evaluated or the loop has begun to iterate: the thread can be late. */
  #hasBegun = false;
  #hasIterated = false;
  #startUp: StartUp = 'likely';
  #cancelWait: (() => void) | undefined;
  #pendingMark: (() => void) | undefined;

  constructor(options: LoopMonitorOptions) {
    this.#options = options;
    const { clock, timers, slot, mayEnterIdleMode, observer } = options;
    this.#load = new LoopLoad(slot, clock);
    this.#readings = new Readings(clock, () => options.readThreadTimes());
    this.#busyPeriods = new BusyPeriods(clock, (start, end) => {
      try {
        if (this.#isCheckpoint(end)) this.#readings.keepAfter(end);
        observer.onBusyPeriod(start, end, this.#startUp);
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
        if (!this.#hasBegun || this.#startUp === 'likely') return;
        this.#load.setLag(lagMs);
        observer.onLag(lagMs, intervalMs, at);
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
    if (this.#readings.isEmpty) this.#readings.keep();
    if (!this.#tickTimer) this.#immediate ??= this.#options.timers.setImmediate(this.#onTick);
    if (this.#startUp !== 'over') {
      this.#cancelWait ??= this.#options.whenEntryPointEvaluated(() => {
        this.endStartUp();
      });
    }
  }

  /**
   * Ends the start-up now: what the thread does from here on is the application's work, although its loop may not have
   * begun to iterate. A pool worker that sleeps between its tasks may never do so.
   */
  endStartUp(): void {
    if (this.#startUp === 'over') return;
    try {
      this.#busyPeriods.tick();
      this.#finishStartUp();
    } catch (error) {
      this.#options.observer.onError(error);
    } finally {
      this.#writeTick();
    }
  }

  #finishStartUp(): void {
    this.#cancelWait?.();
    const isFirstSign = this.#startUp === 'likely';
    this.#startUp = 'over';
    if (!this.#hasBegun) this.#begin(this.#busyPeriods.at);
    if (!isFirstSign) return;
    this.#heartbeat.restart(this.#busyPeriods.at); // the evaluation of the entry point is no lag
    this.#options.observer.onAppStarted();
  }

  /** Ends the busy period: the thread, a pool worker, sleeps until its next task without leaving this iteration. */
  sleep(): void {
    if (this.#startUp !== 'over') {
      this.endStartUp();
      return;
    }
    this.#busyPeriods.tick();
    this.#onSleepChange();
  }

  /** Ends the busy period in which the thread fell asleep at `sleptAt`; does nothing after `sleep()`. */
  endPeriodAt(sleptAt: number): void {
    this.#busyPeriods.endAt(sleptAt);
    if (this.#startUp !== 'over') this.#finishStartUp();
  }

  /** Begins a busy period: the thread has woken without leaving this iteration. */
  wake(): void {
    this.#busyPeriods.begin();
    this.#readings.keepAtWake(this.#busyPeriods.at);
    this.#onSleepChange();
  }

  #onSleepChange(): void {
    this.#options.observer.onBeat(this.#busyPeriods.periodStart);
    this.#writeTick();
  }

  /** Shows the thread to the watchdog during start-up, too. */
  watchStartUp(): void {
    if (this.#hasBegun) return;
    this.#busyPeriods.begin(); // loading this package is no work of the application
    this.#begin();
    this.#writeTick();
  }

  /**
   * Whether the current busy period may contain idle time: it began in idle mode, yet the loop has not been idle since
   * the last checkpoint. A signal that interrupts the poll makes libuv forget how long the loop has been idle in it.
   */
  get mayHaveLostIdle(): boolean {
    return this.#heartbeat.isIdleMode && this.#busyPeriods.lastIdleMs <= NO_IDLE_MS;
  }

  stop(): void {
    const { timers, slot } = this.#options;
    this.#cancelWait?.();
    this.#cancelWait = undefined;
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

  /** For how long the loop has been busy since some moment, ms: the difference of two values is exact. */
  busyMs(): number {
    const { clock } = this.#options;
    return clock.now() - clock.idleTime() - this.#busyPeriods.asleepMs;
  }

  /** Whether the current busy period may be at least `ms` long. Cheap: it does not read the idle time. */
  mayBeBusyFor(now: number, ms: number): boolean {
    return this.#hasBegun && now - this.#busyPeriods.periodStart >= ms;
  }

  /** Whether what is read now has waited for longer than `lagMs`, or the busy share is above `utilization`. */
  isOverloaded(lagMs: number, utilization: number): boolean {
    if (!this.#hasBegun || this.#startUp === 'likely') return false;
    if (this.#load.isLagAbove(lagMs) || this.#load.isBusyAbove(utilization)) return true;
    if (!this.mayBeBusyFor(this.#options.clock.now(), lagMs)) return false;
    const { start, end } = this.currentPeriod();
    return end - start > lagMs;
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

  /**
   * Ends the current busy period, where it is a block already. What follows in this iteration is another busy period: it
   * is short, because a flush comes last.
   */
  endBlockSoFar(): void {
    if (!this.#hasBegun || this.#startUp === 'likely') return;
    if (this.#busyPeriods.endBlockSoFar()) this.#writeTick();
  }

  /** Called at exit: ends the busy period of the last iteration, which has no tick. */
  flush(): void {
    this.#busyPeriods.tick();
  }

  /** Whether that is the checkpoint that has just been made, after which the loop has not been idle. */
  #isCheckpoint(time: number): boolean {
    const { at, idleTime } = this.#busyPeriods;
    return time === at && this.#options.clock.idleTime() - idleTime <= NO_IDLE_MS;
  }

  /** The last reading before an interval and the first after it. */
  readingsAround(start: number, end: number): ReturnType<Readings['around']> {
    return this.#readings.around(start, end);
  }

  readonly #onTick = (): void => {
    const options = this.#options;
    const busyPeriods = this.#busyPeriods;
    try {
      busyPeriods.tick();
      if (!this.#hasBegun) this.#begin(busyPeriods.at);
      // The jobs that were queued when the entry point had been evaluated have run since: they may have opened a server.
      else if (!this.#hasIterated) options.observer.onBeat(busyPeriods.periodStart);
      this.#hasIterated = true;
      if (this.#pendingMark) {
        this.#pendingMark();
        this.#pendingMark = undefined;
      }
      if (this.#startUp === 'likely' && options.isAppStarted()) {
        this.#startUp = 'possible';
        options.observer.onAppStarted();
      }
      this.#heartbeat.onIteration(busyPeriods.iterationPeriodStart, busyPeriods.at);
    } catch (error) {
      options.observer.onError(error);
    }
    try {
      this.#writeTick();
      this.#arm(
        this.#tickPace.isTimedAfter(busyPeriods.at, busyPeriods.idleTime) &&
          busyPeriods.minMs >= MIN_TIMED_THRESHOLD_MS,
      );
    } catch (error) {
      options.observer.onError(error);
    }
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
    if (!this.#hasBegun) return;
    this.#busyPeriods.heartbeat();
    this.#load.onBeat(this.#busyPeriods.at, this.#busyPeriods.idleTime);
    this.#readings.keepIfDue(now, now - this.#busyPeriods.periodStart >= this.#busyPeriods.minMs);
    this.#options.observer.onBeat(this.#busyPeriods.periodStart);
  };

  #begin(checkpoint?: number): void {
    this.#hasBegun = true;
    this.#readings.keep(checkpoint);
    this.#options.observer.onBeat(this.#busyPeriods.periodStart);
  }

  /** Shows the watchdog that the thread is not blocked. */
  #writeTick(): void {
    this.#options.slot?.setTime(SlotTime.tickAt, this.#busyPeriods.at + SHARED_CLOCK_OFFSET);
  }
}
