import { performance } from 'node:perf_hooks';
import process from 'node:process';

// Taken at load, so that fake timers in the application's tests do not stop us.
const performanceNow = performance.now.bind(performance);
const nodeTiming = performance.nodeTiming;

/** The thread's clocks, in ms. */
export interface Clock {
  /** `performance.now()` of this thread. */
  readonly now: () => number;
  /** Time that this thread's loop has spent idle in the poll phase. */
  readonly idleTime: () => number;
}

export const threadClock: Clock = {
  now: performanceNow,
  idleTime: () => nodeTiming.idleTime,
};

/**
 * What to add to this thread's `performance.now()` to get the clock that all threads share, that of `process.hrtime`. Both
 * are the same monotonic clock with another origin.
 */
export const SHARED_CLOCK_OFFSET = Number(process.hrtime.bigint()) / 1e6 - performanceNow();

/** The clock that all threads of the process share, in ms. */
export function sharedNow(): number {
  return performanceNow() + SHARED_CLOCK_OFFSET;
}
