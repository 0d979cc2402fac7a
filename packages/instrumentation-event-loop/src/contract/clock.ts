import { performance } from 'node:perf_hooks';
import process from 'node:process';

// Taken when the module loads, so that fake timers in the application's tests do not replace them.
const performanceNow = performance.now.bind(performance);
const nodeTiming = performance.nodeTiming;
/** Wall clock, ms since 1970. */
export const { now: epochNow } = Date;

/** Clocks of one thread, ms. */
export interface Clock {
  /** `performance.now()` of this thread. */
  readonly now: () => number;
  /** Time for which this thread's loop has been idle in the poll phase. */
  readonly idleTime: () => number;
}

export const threadClock: Clock = {
  now: performanceNow,
  idleTime: () => nodeTiming.idleTime,
};

/** A thread can lose the CPU between two readings; that this happens in all of so many pairs is very unlikely. */
const OFFSET_READINGS = 10;

/**
 * Returns what to add to a time of `now` to get a time of `shared`, ms; both clocks run at the same speed. If the
 * thread loses the CPU between two readings, their difference is too small by that time. It is never too large, so the
 * largest difference is the best.
 */
export function clockOffset(shared: () => number, now: () => number): number {
  let offset = -Infinity;
  for (let count = 0; count < OFFSET_READINGS; count++) offset = Math.max(offset, shared() - now());
  return offset;
}

/**
 * What to add to this thread's `performance.now()` to get the shared clock, which is that of `process.hrtime`. Both
 * read the same monotonic clock, with different origins.
 */
export const SHARED_CLOCK_OFFSET = clockOffset(() => Number(process.hrtime.bigint()) / 1e6, performanceNow);

/** The time on the clock that all threads of the process share, ms. */
export function sharedNow(): number {
  return performanceNow() + SHARED_CLOCK_OFFSET;
}

/** Converts a time of this thread to the shared clock. */
export function toShared(time: number): number {
  return time + SHARED_CLOCK_OFFSET;
}

/** Converts a time of the shared clock to this thread's time line. */
export function fromShared(time: number): number {
  return time - SHARED_CLOCK_OFFSET;
}
