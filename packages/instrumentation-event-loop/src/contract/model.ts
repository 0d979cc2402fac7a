/**
 * Plain data that the rooms pass to each other. Times are ms on the thread's own `performance.now()` time line unless a
 * name says otherwise.
 */

import type { SpanIds } from './hang-report.js';
import type { Interval } from './interval.js';

/** One frame of a captured stack, as V8 gives it. */
export interface Frame {
  /** As V8 prints it, without `async` and file: `createSpans`, `Layer.handle`; empty when the function has no name. */
  readonly functionName: string;
  /** Path, `file:` URL, `node:` name or other URL of the script; empty for builtins. */
  readonly fileName: string;
  /** From 1; 0 when there is none. */
  readonly lineNumber: number;
  /** From 1; 0 when there is none. */
  readonly columnNumber: number;
  /** Where the function's own source begins, from 1; 0 when unknown. */
  readonly functionLineNumber: number;
  /** From 1; 0 when unknown. */
  readonly functionColumnNumber: number;
  /** A caller that awaits: it is not on the machine stack. */
  readonly isAsync: boolean;
  /** The position is one of code that was compiled in memory: the file has other lines. */
  readonly isCompiled?: boolean;
  /** SHA-256 of the text that runs, in hexadecimal digits; only where that may be another one than the file's. */
  readonly scriptHash?: string | undefined;
  /** Code of this package, where the file's path alone does not show it. */
  readonly isOwn?: boolean;
  /**
   * Code that was evaluated as text: file, line and column are those of the call that evaluated it. The function's own
   * line and column count in its text.
   */
  readonly evaluated?: { readonly isAtEntry: boolean };
}

/** CPU accounting of one thread by the operating system, ms since the thread began. */
export interface ThreadTimes {
  readonly cpuMs: number;
  /** Time in which the thread was runnable but waited for a CPU; undefined where the system does not record it. */
  readonly runQueueMs: number | undefined;
}

/** What the probe has recorded in one call in a blocked thread. */
export interface Sample {
  /** When the watchdog asked. */
  readonly requestedAt: number;
  /**
   * When the question had been sent, so that V8 could interrupt the thread; undefined where the answer came before that
   * was recorded.
   */
  readonly sentAt: number | undefined;
  /** The thread's run-queue time at `sentAt`; undefined where the system does not record it. */
  readonly sentRunQueueMs: number | undefined;
  /** When the probe ran. */
  readonly takenAt: number;
  /** The loop has passed a checkpoint since the question, so that work of this package there began after it. */
  readonly passedCheckpoint: boolean;
  /** The first sample of the thread: V8 compiles the probe's functions and what Node's inspector needs before it. */
  readonly isFirst: boolean;
  /** Top first; empty when no JavaScript was running. */
  readonly frames: readonly Frame[];
  /** The OpenTelemetry context that was active in the blocked code. */
  readonly context: unknown;
  /** Type of the executing asynchronous resource; empty outside of one. */
  readonly asyncResource: string;
  /** Node's id of the executing callback, `executionAsyncId()`. */
  readonly asyncId: number;
  /** Active resources by type; recorded only when the thread sleeps in `Atomics.wait`. */
  readonly pending: readonly string[] | undefined;
  readonly threadTimes: ThreadTimes | undefined;
  /** An inspector was open: a debugger could have stopped the thread. */
  readonly inspected: boolean;
}

export type Cause = 'javascript' | 'native' | 'gc' | 'waiting' | 'cpu_starved' | 'unknown';
export type Quality = 'live' | 'post_native' | 'none';

/** Which code blocked, and why. */
export interface Attribution {
  readonly cause: Cause;
  /** The share that decided on the cause, and why the culprit is a guess: `native 62 % of 480 ms; guess: 2 answers`. */
  readonly because: string;
  readonly quality: Quality;
  /** Source-mapped. */
  readonly culprit: Frame | undefined;
  /** Most frequent stack, top first, source-mapped. */
  readonly stack: readonly Frame[];
  /** Folded stacks with ms; empty without samples. */
  readonly profile: string;
  /** Lines of the culprit with ms; undefined where the samples show it at one line only. */
  readonly lines: string | undefined;
  readonly sampleCount: number;
  readonly asyncResource: string;
  readonly pending: readonly string[] | undefined;
  /** In order of time. In the time that is in none of them, the context is unknown. */
  readonly contexts: readonly ContextInterval[];
  /** The context in which most of the block was spent; undefined when none is known. */
  readonly mainContext: unknown;
}

/** A part of a block in which one context was active. */
export interface ContextInterval extends Interval {
  readonly context: unknown;
  /** Node's id of the callback that ran, `executionAsyncId()`. */
  readonly asyncId: number;
  /** When the first evidence of the block showed the context: who ran before is a guess. */
  readonly seenAt?: number;
  /** The context ran from here on for certain, or from `start`: before, that of the interval before it may have run. */
  readonly seenFrom?: number;
  /** The context ran until here for certain, or until `end`: after, that of the next interval may have run. */
  readonly seenUntil?: number;
  /** When evidence showed it last: after, it is only not known that another one ran. */
  readonly lastSeenAt?: number;
}

/** A span that ended while the loop was busy. */
export interface SpanEnding {
  readonly at: number;
  /** The context that was active when the span ended. */
  readonly context: unknown;
  /** Node's id of the callback that ran, `executionAsyncId()`. */
  readonly asyncId: number;
  /** The `TrackedSpan` of `export/`. */
  readonly trackedSpan: object;
}

/** Measured parts of a block, ms; undefined where they cannot be measured. */
export interface BlockTimes {
  readonly cpuMs: number | undefined;
  readonly runQueueMs: number | undefined;
  readonly gcMs: number | undefined;
}

/** How often the kernel showed the thread as ready to run or running, and how often as asleep, while it was blocked. */
export interface ThreadLooks {
  readonly runnable: number;
  readonly asleep: number;
  /** How many of the latter showed it in a lock or waiting for memory, and not in a call that sleeps. */
  readonly inLock: number;
  /** Share of the kernel in its CPU time meanwhile; undefined where that is unknown. */
  readonly systemShare?: number | undefined;
}

/** A block that has ended, or that the end of the process cut short. */
export interface Block {
  /** Identifies the block; it holds no data. */
  readonly id: object;
  readonly start: number;
  readonly end: number;
  /** `end - start` minus the time in which the thread was suspended or stopped at a breakpoint. */
  readonly durationMs: number;
  readonly times: BlockTimes;
  readonly attribution: Attribution;
  readonly threadId: number;
  readonly threadName: string;
  /** The last `event-loop-hang` span of this block. */
  readonly hang: SpanIds | undefined;
  /** Spans that ended within the block or before its report, in order of time. */
  readonly endings: readonly SpanEnding[];
}

/**
 * Whether the thread's entry point was being evaluated:
 * - `likely`: it has not been evaluated yet, and nothing shows that the application runs in the loop;
 * - `possible`: it has not been evaluated yet, but waits in a top-level `await`, and the loop runs the application;
 * - `over`: it has been evaluated.
 */
export type StartUp = 'likely' | 'possible' | 'over';

/** Idle time and CPU times of the thread up to the moment `at`. */
export interface Reading {
  readonly at: number;
  /** Time that the loop had spent idle in the poll phase, ms. */
  readonly idleTime: number;
  readonly times: ThreadTimes | undefined;
}

/** Garbage-collection pauses of the thread, which are not observed all the time. */
export interface GcPauses {
  /** Undefined: pauses were not observed. */
  readonly observedSince: number | undefined;
  readonly pauses: readonly Interval[];
}
