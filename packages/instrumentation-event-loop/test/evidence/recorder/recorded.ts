/**
 * The judgement's whole input, as plain data: what a recording holds. Times are ms from the start of the busy period
 * unless a name says otherwise. Objects that many records share are numbers: the place in a table of the same record.
 */
import type { ThreadLooks, ThreadTimes, Cause, Quality, StartUp, Frame } from '../../../src/contract/model.js';

export interface PlainInterval {
  readonly start: number;
  readonly end: number;
}

/** A frame as V8 gave it, without the text of any source. */
export type PlainFrame = Frame;

/** A context: opaque, with what the reader of contexts said about it when the period was judged. */
export interface PlainContext {
  /** Equal numbers: one request. Absent: outside of any request. */
  readonly request?: number | undefined;
  /** Identifies the span; empty outside of any span. */
  readonly span: string;
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
  readonly isOfSdk: boolean;
  /** Name of the span, for the truth; no input of the judgement. */
  readonly name?: string | undefined;
}

export interface PlainSample {
  readonly requestedAt: number;
  readonly sentAt?: number | undefined;
  readonly sentRunQueueMs?: number | undefined;
  readonly takenAt: number;
  readonly passedCheckpoint: boolean;
  readonly isFirst: boolean;
  /** Places in the table of frames, top first. */
  readonly frames: readonly number[];
  /** Place in the table of contexts; absent: undefined. */
  readonly context?: number | undefined;
  readonly asyncResource: string;
  readonly asyncId: number;
  readonly pending?: readonly string[] | undefined;
  readonly threadTimes?: ThreadTimes | undefined;
  readonly inspected: boolean;
}

export interface PlainEnding {
  readonly at: number;
  readonly context?: number | undefined;
  readonly asyncId: number;
  /** Equal numbers: one tracked span. */
  readonly trackedSpan: number;
}

export interface PlainReading {
  readonly at: number;
  readonly idleTime: number;
  readonly times?: ThreadTimes | undefined;
}

export interface PlainPeriod {
  readonly end: number;
  readonly startUp: StartUp;
  readonly mayHaveLostIdle: boolean;
  readonly lostIdleMs?: number | undefined;
  readonly hasHang: boolean;
  readonly looks?: ThreadLooks | undefined;
  readonly before?: PlainReading | undefined;
  readonly after: PlainReading;
  readonly samples: readonly PlainSample[];
  readonly endings: readonly PlainEnding[];
}

export interface PlainJudgeContext {
  readonly thresholdMs: number;
  readonly isWorker: boolean;
  readonly threadId: number;
  readonly threadName: string;
  /** Suspensions of the process. */
  readonly suspensions: readonly PlainInterval[];
  /** Excluded by other reasons than this period: start of the watchdog, load of the SDK, breakpoints before, sleeps. */
  readonly excluded: readonly PlainInterval[];
  /** Sleeps of the thread in calls. */
  readonly sleeps: readonly PlainInterval[];
  readonly ownWork: readonly PlainInterval[];
  readonly sdkStart?: PlainInterval | undefined;
  readonly gcObservedSince?: number | undefined;
  readonly gcPauses: readonly PlainInterval[];
  readonly isSampled: boolean;
  readonly countsStartUp: boolean;
}

/** What the judgement said of a block. */
export interface PlainVerdict {
  readonly start: number;
  readonly end: number;
  readonly durationMs: number;
  readonly cause: Cause;
  readonly quality: Quality;
  readonly culprit?: PlainFrame | undefined;
  readonly cpuMs?: number | undefined;
  readonly runQueueMs?: number | undefined;
  readonly gcMs?: number | undefined;
  readonly asyncResource: string;
  /** Place in the table of contexts. */
  readonly mainContext?: number | undefined;
}

/** One busy period with everything that the judgement was given, and what it said then. */
export interface Recorded {
  readonly type: 'period';
  /** The start of the period on the thread's `performance.now()`, which the program's truth has, too. */
  readonly startNowMs: number;
  /** `last`: reported by a thread that was about to be terminated, before the period had ended. */
  readonly end: 'ended' | 'last';
  readonly frames: readonly PlainFrame[];
  /** Where a source map says something else: frame, its caller or -1, and the mapped frame. */
  readonly mapped: readonly (readonly [number, number, PlainFrame])[];
  readonly contexts: readonly PlainContext[];
  readonly period: PlainPeriod;
  readonly given: PlainJudgeContext;
  readonly said: readonly PlainVerdict[];
}
