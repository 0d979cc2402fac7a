/**
 * The data that every part of the CLI speaks: plain objects, JSON as they are, times in milliseconds.
 * Nothing here may import from Node: the page in the browser uses the same types and functions.
 */

/** Why a thread was blocked; the values of `event_loop.blocked.cause`. */
export const CAUSES = ['javascript', 'native', 'gc', 'waiting', 'cpu_starved', 'unknown'] as const;
export type Cause = (typeof CAUSES)[number];

/** How far a stack can be trusted; the values of `event_loop.blocked.stack_quality`. */
export const STACK_QUALITIES = ['live', 'post_native', 'none'] as const;
export type StackQuality = (typeof STACK_QUALITIES)[number];

/** A place in the code. */
export interface CodeLocation {
  readonly functionName: string;
  /** Absolute path or URL. */
  readonly filePath: string;
  /** From 1; 0 when unknown. */
  readonly lineNumber: number;
  /** From 1; 0 when unknown. */
  readonly columnNumber: number;
}

/** One process (or pod) that reports: a service instance. */
export interface Instance {
  readonly id: string;
  readonly service: string;
  /** Tells instances of one service apart: process id, host or `service.instance.id`. */
  readonly label: string;
  readonly pid?: number;
  readonly command?: string;
}

/** A span that waited because of a block. */
export interface Victim {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly instance: string;
  /** Summed over all blocks that the span waited for. */
  readonly waitMs?: number;
}

/** A block of an event loop. */
export interface Block {
  readonly id: string;
  readonly instance: string;
  /** Epoch, ms. */
  readonly startMs: number;
  readonly durationMs: number;
  /** False: its thread was still blocked when this was sent, and nothing newer has come. */
  readonly ended: boolean;
  readonly cause: Cause;
  /** Absent when nobody can be named. */
  readonly culprit?: CodeLocation;
  /** As V8 prints stacks, one frame a line. */
  readonly stackTrace?: string;
  readonly stackQuality: StackQuality;
  readonly sampleCount: number;
  /** Folded stacks, root first: `a;b;c N` a line, N in ms. */
  readonly profile?: string;
  readonly cpuMs?: number;
  readonly gcMs?: number;
  readonly runQueueMs?: number;
  readonly asyncResource?: string;
  /** Name of the request or other local root span it happened in. */
  readonly request?: string;
  readonly suppressedCount: number;
  /** What could not go on while the thread slept: `Type×N`. */
  readonly pending?: readonly string[];
  readonly threadId: number;
  readonly threadName: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly parentSpanId?: string;
  readonly victimCount?: number;
  readonly victimWaitMs?: number;
}

/** Distribution of the event loop's lag in one interval: an explicit-bucket histogram. */
export interface LagPoint {
  readonly instance: string;
  readonly threadName: string;
  /** Epoch, ms. */
  readonly startMs: number;
  /** Epoch, ms. */
  readonly endMs: number;
  /** Upper bounds of all buckets but the last, in ms. */
  readonly boundsMs: readonly number[];
  /** One more than `boundsMs`. */
  readonly counts: readonly number[];
  readonly maxMs?: number;
}

/** What is known of a thread. */
export interface ThreadInfo {
  readonly instance: string;
  readonly threadName: string;
  /** Number of live threads of this name. */
  readonly count?: number;
  /** Share of the time that the loop was busy, 0 to 1. */
  readonly utilization?: number;
  readonly idleAgeMs?: number;
  /** So long blocked by now; 0 when it is not. */
  readonly stalledMs?: number;
}

/** All blocks of one culprit. */
export interface Culprit {
  readonly key: string;
  /** Of the longest block; absent when nobody can be named. */
  readonly location?: CodeLocation;
  readonly count: number;
  readonly suppressedCount: number;
  readonly totalMs: number;
  readonly longestMs: number;
  readonly lastMs: number;
  /** The cause with the most time. */
  readonly cause: Cause;
  /** Names of the requests it blocked, most frequent first. */
  readonly requests: readonly string[];
}

/** A span of a trace, as the waterfall draws it. */
export interface TraceSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly instance: string;
  readonly scope: string;
  /** `SpanKind` on the wire: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly error: boolean;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly links: readonly SpanLink[];
}

export interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
}

export type AttributeValue = string | number | boolean | null | readonly AttributeValue[] | Attributes;

export interface Attributes {
  readonly [name: string]: AttributeValue;
}

/** Text of source lines: path, then line number, then the line. */
export type Sources = Readonly<Record<string, Readonly<Record<string, string>>>>;
