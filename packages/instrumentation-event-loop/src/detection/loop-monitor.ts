import { SHARED_CLOCK_OFFSET } from '../contract/clock.js';
import { SlotTime } from '../contract/registry-layout.js';
import { BusyPeriods, NO_IDLE_MS } from './busy-periods.js';
import { Heartbeat, heartbeatInterval } from './heartbeat.js';
import { LoopLoad } from './loop-load.js';
import type { LoopMonitorOptions } from './loop-observer.js';
import { isStartingUp, phaseAfter, startUpIn, type LoopEvent, type LoopPhase } from './loop-phase.js';
import { Readings } from './readings.js';
import { Ticks } from './ticks.js';

/** Monitors one thread's loop: ticks in each iteration or by a timer, runs the heartbeat, writes the thread's slot. */
export class LoopMonitor {
  readonly #options: LoopMonitorOptions;
  readonly #busyPeriods: BusyPeriods;
  readonly #heartbeat: Heartbeat;
  readonly #readings: Readings;
  readonly #load: LoopLoad;
  readonly #ticks: Ticks;
  #phase: LoopPhase = 'loading';
  #hasIterated = false;
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
        observer.onBusyPeriod(start, end, startUpIn(this.#phase));
      } catch (error) {
        observer.onError(error);
      }
    });
    this.#ticks = new Ticks(timers, this.#onTick);
    this.#heartbeat = new Heartbeat({
      now: clock.now,
      timers,
      slot,
      mayEnterIdleMode,
      onBeat: this.#onBeat,
      onLag: (lagMs, intervalMs, at) => {
        if (isStartingUp(this.#phase)) return;
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
    this.#ticks.start();
    if (this.#phase !== 'running') {
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
    if (this.#phase === 'running') return;
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
    const before = this.#phase;
    this.#enter('evaluated', this.#busyPeriods.at);
    if (!isStartingUp(before)) return;
    this.#heartbeat.restart(this.#busyPeriods.at); // the evaluation of the entry point is no lag
    this.#options.observer.onAppStarted();
  }

  /** Ends the busy period: the thread, a pool worker, sleeps until its next task without leaving this iteration. */
  sleep(): void {
    if (this.#phase !== 'running') {
      this.endStartUp();
      return;
    }
    this.#busyPeriods.tick();
    this.#onSleepChange();
  }

  /** Ends the busy period in which the thread fell asleep at `sleptAt`; does nothing after `sleep()`. */
  endPeriodAt(sleptAt: number): void {
    this.#busyPeriods.endAt(sleptAt);
    if (this.#phase !== 'running') this.#finishStartUp();
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
    if (this.#phase !== 'loading') return;
    this.#busyPeriods.begin(); // loading this package is no work of the application
    this.#enter('watched');
    this.#writeTick();
  }

  /**
   * Whether the current busy period may contain idle time: it began in idle mode, yet the loop has not been idle since
   * the last checkpoint. A signal that interrupts the poll makes libuv forget how long the loop has been idle in it.
   */
  get mayHaveLostIdle(): boolean {
    return this.#heartbeat.isIdleMode && this.#busyPeriods.lastIdleMs <= NO_IDLE_MS;
  }

  /** Time of the last checkpoint. */
  get checkpointAt(): number {
    return this.#busyPeriods.at;
  }

  stop(): void {
    this.#cancelWait?.();
    this.#cancelWait = undefined;
    this.#heartbeat.stop();
    this.#ticks.stop();
    this.#options.slot?.setTime(SlotTime.tickAt, 0);
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
    return this.#phase !== 'loading' && now - this.#busyPeriods.periodStart >= ms;
  }

  /** Whether what is read now has waited for longer than `lagMs`, or the busy share is above `utilization`. */
  isOverloaded(lagMs: number, utilization: number): boolean {
    if (isStartingUp(this.#phase)) return false;
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

  #takeMark(): (() => void) | undefined {
    const mark = this.#pendingMark;
    this.#pendingMark = undefined;
    return mark;
  }

  /** Reports the lags of a busy period that would otherwise be reported with the next iteration or heartbeat. */
  flushLags(period = this.currentPeriod()): void {
    if (!isStartingUp(this.#phase)) this.#heartbeat.flush(period.start, period.end);
  }

  /**
   * Ends the current busy period, where it is a block already. What follows in this iteration is another busy period: it
   * is short, because a flush comes last.
   */
  endBlockSoFar(): void {
    if (isStartingUp(this.#phase)) return;
    const period = this.currentPeriod();
    // First, because to report lags is no work of the application, and takes long where the thread has to wait for a CPU.
    if (this.#busyPeriods.endBlockSoFar()) this.#writeTick();
    this.flushLags(period);
  }

  /** Called at exit: ends the busy period of the last iteration, which has no tick, with the lag that it has caused. */
  flush(): void {
    const period = this.currentPeriod();
    this.#busyPeriods.tick();
    this.flushLags(period);
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
      this.#takeMark()?.(); // before the tick reports a block: the watchdog may see that work
      busyPeriods.tick();
      if (this.#phase === 'loading') this.#enter('iterated', busyPeriods.at);
      // The jobs that were queued when the entry point had been evaluated have run since: they may have opened a server.
      else if (!this.#hasIterated) options.observer.onBeat(busyPeriods.periodStart);
      this.#hasIterated = true;
      this.#takeMark()?.(); // where that beat has started the watchdog
      if (this.#phase === 'starting' && options.isAppStarted()) {
        this.#enter('applicationSeen');
        options.observer.onAppStarted();
      }
      this.#heartbeat.onIteration(busyPeriods.iterationPeriodStart, busyPeriods.at);
    } catch (error) {
      options.observer.onError(error);
    }
    try {
      this.#writeTick();
      const nextMs = this.#ticks.next(busyPeriods.at, busyPeriods.idleTime, busyPeriods.minMs);
      if (nextMs !== undefined) busyPeriods.expectNextAfter(nextMs);
    } catch (error) {
      options.observer.onError(error);
    }
  };

  readonly #onBeat = (now: number): void => {
    if (this.#phase === 'loading') return;
    this.#busyPeriods.heartbeat();
    this.#load.onBeat(this.#busyPeriods.at, this.#busyPeriods.idleTime);
    this.#readings.keepIfDue(now, now - this.#busyPeriods.periodStart >= this.#busyPeriods.minMs);
    this.#options.observer.onBeat(this.#busyPeriods.periodStart);
  };

  /** The first event shows the thread to the watchdog: it can be late from then on. */
  #enter(event: LoopEvent, checkpoint?: number): void {
    const isFirst = this.#phase === 'loading';
    this.#phase = phaseAfter(this.#phase, event);
    if (!isFirst) return;
    this.#readings.keep(checkpoint);
    this.#options.observer.onBeat(this.#busyPeriods.periodStart);
  }

  /** Shows the watchdog that the thread is not blocked. */
  #writeTick(): void {
    this.#options.slot?.setTime(SlotTime.tickAt, this.#busyPeriods.at + SHARED_CLOCK_OFFSET);
  }
}
