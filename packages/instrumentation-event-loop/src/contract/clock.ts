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

/** A thread sometimes loses the CPU between two calls; all of so many pairs are hardly ever hit. */
const OFFSET_READINGS = 10;

/**
 * What to add to a time of `now` to get the time of `shared`, ms; both clocks run at the same speed. Between the two readings
 * another thread may have the CPU for many milliseconds: the difference is then too small, never too large.
 */
export function clockOffset(shared: () => number, now: () => number): number {
  let offset = -Infinity;
  for (let count = 0; count < OFFSET_READINGS; count++) offset = Math.max(offset, shared() - now());
  return offset;
}

/**
 * What to add to this thread's `performance.now()` to get the shared clock, which is that of `process.hrtime`. Both are the
 * same monotonic clock with another origin.
 */
export const SHARED_CLOCK_OFFSET = clockOffset(() => Number(process.hrtime.bigint()) / 1e6, performanceNow);

/** The clock that all threads of the process share, in ms. */
export function sharedNow(): number {
  return performanceNow() + SHARED_CLOCK_OFFSET;
}

/** From the thread's time line to the shared clock. */
export function toShared(time: number): number {
  return time + SHARED_CLOCK_OFFSET;
}

/** From the shared clock to the thread's time line. */
export function fromShared(time: number): number {
  return time - SHARED_CLOCK_OFFSET;
}
