import type { Clock } from '../contract/clock.js';
import type { StartUp, ThreadTimes } from '../contract/model.js';
import type { Slot } from '../contract/slots.js';
import type { RootTimers } from './root-timers.js';

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
