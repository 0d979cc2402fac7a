/**
 * The time of the loop, as a thread measures it: for how long it was busy, exactly, and what it did at random moments. The
 * watchdog asks at Poisson arrivals, which are independent of the answers. An arrival that comes while a question still
 * waits for its answer counts for that answer, or native calls would count for too little. Where the questions would cost
 * too much, they become rarer, and each answer stands for more time.
 */

import type { Frame, Sample } from './model.js';

/** What the probe has recorded of a busy thread, for the arrivals that had come until then. */
export interface BusyAnswer extends Pick<
  Sample,
  'requestedAt' | 'sentAt' | 'sentRunQueueMs' | 'takenAt' | 'isFirst' | 'frames' | 'context' | 'threadTimes'
> {
  readonly arrivals: number;
  /** Busy time for which it stands, ms: that in which so many arrivals are expected. */
  readonly weightMs: number;
}

/** How often a busy thread was found in one stack, in one context. */
export interface BusyCount {
  /** The OpenTelemetry context that was active; undefined where none was known. */
  readonly context: unknown;
  /** Source-mapped; undefined where no JavaScript was on the stack. */
  readonly culprit: Frame | undefined;
  /** The job or timer to which the stack belongs; undefined where it shows none. */
  readonly job: string | undefined;
  /** Folded, `outer;inner`. */
  readonly stack: string;
  readonly isInBlock: boolean;
  /** Number of arrivals that the answers stand for. */
  readonly answers: number;
  /** Busy time for which they stand, ms: what the exact one is divided by, because the rate of the questions changes. */
  readonly weightMs: number;
  /** Those of them whose answer came only after a call that V8 does not interrupt. */
  readonly lateAnswers: number;
}

/** What the thread's loop did from `start` to `end`, on the clock of the thread. */
export interface BusyWindow {
  readonly threadId: number;
  readonly threadName: string;
  readonly start: number;
  readonly end: number;
  readonly busyMs: number;
  /** Part of it in which the thread was ready to run and waited for a CPU; undefined where the system does not show it. */
  readonly runQueueMs: number | undefined;
  /** Part of it in garbage collections; undefined where they were not measured for most of it. */
  readonly gcMs: number | undefined;
  readonly counts: readonly BusyCount[];
}
