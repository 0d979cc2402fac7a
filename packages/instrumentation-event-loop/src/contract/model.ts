/**
 * What the rooms hand to each other: plain data. Times are ms on the thread's own `performance.now()` time line unless a
 * name says otherwise.
 */

/** One frame of a captured stack, as V8 gave it. */
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
  /** An awaiting caller, not one on the machine stack. */
  readonly isAsync: boolean;
}

/** CPU accounting of one thread by the operating system, in ms since the thread began. */
export interface ThreadTimes {
  readonly cpuMs: number;
  /** Runnable and waiting for a CPU; undefined where the system does not tell. */
  readonly runQueueMs: number | undefined;
}

/** One answer of a blocked thread. */
export interface Sample {
  /** When the watchdog asked. */
  readonly requestedAt: number;
  /** When the probe ran. */
  readonly takenAt: number;
  /** Top first; empty when no JavaScript was running. */
  readonly frames: readonly Frame[];
  /** What `captureContext` returned in the blocked code. */
  readonly context: unknown;
  /** Type of the executing asynchronous resource; empty outside of one. */
  readonly asyncResource: string;
  /** Active resources by type, taken only where the thread sleeps in `Atomics.wait`. */
  readonly pending: readonly string[] | undefined;
  readonly threadTimes: ThreadTimes | undefined;
  /** A debugger could have stopped the thread. */
  readonly inspected: boolean;
}

/** A stretch of time. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

export type Cause = 'javascript' | 'native' | 'gc' | 'waiting' | 'cpu_starved' | 'unknown';
export type Quality = 'live' | 'post_native' | 'none';

/** What is known of who blocked and why. */
export interface Attribution {
  readonly cause: Cause;
  readonly quality: Quality;
  /** Source-mapped. */
  readonly culprit: Frame | undefined;
  /** Most frequent stack, top first, source-mapped. */
  readonly stack: readonly Frame[];
  /** Folded stacks with ms; empty without samples. */
  readonly profile: string;
  readonly sampleCount: number;
  readonly asyncResource: string;
  readonly pending: readonly string[] | undefined;
  readonly contexts: readonly ContextShare[];
}

/** A context that was active in the block. */
export interface ContextShare {
  readonly context: unknown;
  readonly weightMs: number;
  /** The culprit ran in it. */
  readonly isCulprits: boolean;
}

/** Measured parts of a block, ms; undefined where they cannot be measured. */
export interface BlockTimes {
  readonly cpuMs: number | undefined;
  readonly runQueueMs: number | undefined;
  readonly gcMs: number | undefined;
}

/** A block that has ended (or, at exit, will not). */
export interface Block {
  readonly start: number;
  readonly end: number;
  /** `end - start` less the time the thread was suspended or stopped at a breakpoint. */
  readonly durationMs: number;
  readonly times: BlockTimes;
  readonly attribution: Attribution;
  readonly threadId: number;
  readonly threadName: string;
  /** The last span under which the watchdog has reported it while it lasted. */
  readonly hang: SpanIds | undefined;
}

/** Where the watchdog sends what it reports by itself: two OTLP/HTTP endpoints. Plain data, it crosses threads. */
export interface OtlpTarget {
  readonly traces: OtlpEndpoint;
  readonly metrics: OtlpEndpoint;
  /** Directory for reports that could not be sent before the process died; undefined: they are lost. */
  readonly spoolDirectory: string | undefined;
}

export interface OtlpEndpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Paths of PEM files. */
  readonly certificate: string | undefined;
  readonly clientKey: string | undefined;
  readonly clientCertificate: string | undefined;
}

export type AttributeValue = string | number | boolean | readonly string[];
export type PlainAttributes = Readonly<Record<string, AttributeValue>>;

/** Ids of a span, in hex. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** What a blocked thread tells of itself for one target: all that a hang report needs of OpenTelemetry. */
export interface HangReport {
  readonly target: OtlpTarget;
  readonly resource: PlainAttributes;
  /** Undefined: a root span. */
  readonly parent: SpanIds | undefined;
  readonly links: readonly SpanIds[];
  readonly attributes: PlainAttributes;
}

/** Where to report for threads that do not answer, and as whom. */
export interface HangDestination {
  readonly target: OtlpTarget;
  readonly resource: PlainAttributes;
}
