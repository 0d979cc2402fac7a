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

/** A thread loses the CPU between two calls now and then, seldom twice in so many. */
const OFFSET_READINGS = 10;

/**
 * What to add to the time of `now` to get that of `shared`, two clocks that run alike, in ms. Another thread may have the
 * CPU for many milliseconds between a reading of the one and of the other: the difference is then too small, never too
 * large.
 */
export function clockOffset(shared: () => number, now: () => number): number {
  let offset = -Infinity;
  for (let count = 0; count < OFFSET_READINGS; count++) offset = Math.max(offset, shared() - now());
  return offset;
}

/**
 * What to add to this thread's `performance.now()` to get the clock that all threads share, that of `process.hrtime`. Both
 * are the same monotonic clock with another origin.
 */
export const SHARED_CLOCK_OFFSET = clockOffset(() => Number(process.hrtime.bigint()) / 1e6, performanceNow);

/** The clock that all threads of the process share, in ms. */
export function sharedNow(): number {
  return performanceNow() + SHARED_CLOCK_OFFSET;
}
