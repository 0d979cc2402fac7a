import type { BlockTimes } from './model.js';

/** The answer of a thread that what it does is no block so far: the JSON of no hang report. */
export const NO_HANG_REPORTS = '[]';

/** A thread that is blocked, as the watchdog reports it. */
export interface StalledThread {
  readonly threadId: number;
  readonly threadName: string;
  /** ms since the block began; 0 when it is over. */
  readonly ageMs: number;
  /** JSON of `HangReport[]`, the probe's last answer within this block; undefined when the thread has not answered. */
  readonly hangReports: string | undefined;
  /** Present where the thread does not answer now: what is known instead. */
  readonly silence?: Silence | undefined;
  /** Present with a length so far. */
  readonly times?: TimesSoFar | undefined;
}

/** Times of the block so far; undefined where they were not measured for nearly all of it. */
export type TimesSoFar = Pick<BlockTimes, 'cpuMs' | 'runQueueMs'>;

/** What the watchdog knows of a thread that does not answer: it is inside a call that V8 cannot interrupt. */
export interface Silence extends TimesSoFar {
  readonly cause: 'native' | 'waiting' | 'unknown';
  /** Age of the thread's last answer; undefined without one. */
  readonly answerAgeMs: number | undefined;
  /** Child processes that a sleeping thread has started in the block, as `name (pid)`. */
  readonly childProcesses: readonly string[];
}
