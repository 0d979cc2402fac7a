/**
 * The data that the preload, the CLI and the page exchange: plain objects that JSON can hold, times in milliseconds.
 * Files of this folder must not import from Node.js: the page in the browser uses them too.
 */

/** Why a thread was blocked; the values of `event_loop.blocked.cause`. */
export const CAUSES = ['javascript', 'native', 'gc', 'waiting', 'cpu_starved', 'unknown'] as const;
export type Cause = (typeof CAUSES)[number];

/** How the stack was captured; the values of `event_loop.blocked.stack_quality`. */
export const STACK_QUALITIES = ['live', 'post_native', 'none'] as const;
export type StackQuality = (typeof STACK_QUALITIES)[number];

export interface CodeLocation {
  readonly functionName: string;
  /** Absolute path or URL. */
  readonly filePath: string;
  /** From 1; 0 when unknown. */
  readonly lineNumber: number;
  /** From 1; 0 when unknown. */
  readonly columnNumber: number;
}

/** A process (or pod) that reports: a service instance. */
export interface Instance {
  readonly id: string;
  readonly service: string;
  /** Distinguishes the instances of a service: process id, host or `service.instance.id`. */
  readonly label: string;
  /** `service.version` */
  readonly version?: string;
  /** Repository and commit, where its resource has them. */
  readonly vcs?: VersionControl;
  /** `process.working_directory`: where the root of that repository lies for the process. */
  readonly directory?: string;
  readonly pid?: number;
  /** The program, without its arguments unless they were asked for. */
  readonly command?: string;
  /** Node.js was started with `--enable-source-maps`. */
  readonly sourceMaps?: true;
}

/** A span that a block delayed. */
export interface Victim {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly instance: string;
  /** `route` and `path`: it is a request. */
  readonly nameKind?: 'route' | 'path' | 'name';
  /** Epoch, ms. */
  readonly startMs?: number;
  /** Epoch, ms. */
  readonly endMs?: number;
  /** Sum over all blocks that delayed the span; of a block's victims, the wait for that block at most. */
  readonly waitMs?: number;
  /** Number of blocks that delayed the span. */
  readonly blockCount?: number;
}

/** The victims of a block in short. */
export interface VictimSummary {
  readonly nameCount: number;
  /** The longest wait of one of them for this block. */
  readonly longestMs: number;
  /** What they are: requests of so many routes (or, without a framework's instrumentation, paths), else spans. */
  readonly nameKind: 'route' | 'path' | 'name';
}

/** A block of an event loop. */
export interface Block {
  readonly id: string;
  readonly instance: string;
  /** Epoch, ms. */
  readonly startMs: number;
  readonly durationMs: number;
  /** Time between its start and its end that is not counted, ms: a suspension, a breakpoint. Absent if there is none. */
  readonly excludedMs?: number;
  /** False: only a hang report has arrived, sent while the thread was still blocked. */
  readonly ended: boolean;
  readonly cause: Cause;
  /** The share that decided on the cause, and why the culprit is a guess, where it is one. */
  readonly because?: string;
  /** Absent if there is no usable stack. */
  readonly culprit?: CodeLocation;
  /** Line at which an anonymous culprit is defined. Absent for one with a name, and where it is not known. */
  readonly definedAt?: number;
  /** The column, where that line is one of minified code: it has many functions. */
  readonly definedAtColumn?: number;
  /** In V8's format, one frame per line. */
  readonly stackTrace?: string;
  readonly stackQuality: StackQuality;
  readonly sampleCount: number;
  /** Folded stacks, root first: lines `a;b;c N`, N in ms. */
  readonly profile?: string;
  /** Time of each line of the culprit, heaviest first: lines `17 N`, N in ms. Absent where the samples show one line only. */
  readonly lines?: string;
  readonly cpuMs?: number;
  readonly gcMs?: number;
  readonly runQueueMs?: number;
  readonly asyncResource?: string;
  /** Name of the request, or of another local root span, in which it happened. */
  readonly request?: string;
  readonly suppressedCount: number;
  /** Resources that were pending while the thread slept: `Type×N`. */
  readonly pending?: readonly string[];
  /** Of a hang: child processes that the thread has started and probably waits for, `name (pid)`. */
  readonly childProcesses?: readonly string[];
  /** Of a hang: how long ago the thread has last answered, where it does not answer now. The request is of then. */
  readonly answerAgeMs?: number;
  readonly threadId: number;
  readonly threadName: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly parentSpanId?: string;
  readonly victimCount?: number;
  readonly victimWaitMs?: number;
  /** Absent if not all of them are known. */
  readonly victimSummary?: VictimSummary;
}

/** How long a thread took to evaluate its entry point. */
export interface StartUp {
  readonly instance: string;
  readonly threadId: number;
  readonly threadName: string;
  readonly durationMs: number;
  /** The process ended first, as by a signal: the duration is that for which it was seen. */
  readonly isUnfinished?: true;
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
  /** One more entry than `boundsMs`. */
  readonly counts: readonly number[];
  readonly maxMs?: number;
}

export interface ThreadInfo {
  readonly instance: string;
  readonly threadName: string;
  /** Number of live threads of this name. */
  readonly count?: number;
  /** Share of the time that the loop was busy, 0 to 1. */
  readonly utilization?: number;
  readonly idleAgeMs?: number;
  /** How long the thread has been blocked; 0 if it is not. */
  readonly stalledMs?: number;
}

/** All blocks of one culprit. With a selected range, only the parts of the blocks within it count. */
export interface Culprit {
  readonly key: string;
  /** Of the longest block; absent if its blocks have no culprit. */
  readonly location?: CodeLocation;
  readonly count: number;
  readonly suppressedCount: number;
  readonly totalMs: number;
  readonly longestMs: number;
  readonly lastMs: number;
  /** The cause with the most time. */
  readonly cause: Cause;
  /** Most of its time is in blocks whose function is a guess. */
  readonly guess: boolean;
  /** Time that its blocks waited for CPU; absent if it is unknown for all of them. */
  readonly runQueueMs?: number;
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

/** Source lines by path, then by line number. */
export type Sources = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The state of the source that ran: which repository, which commit. */
export interface VersionControl {
  /** Address of the repository without credentials, as a browser opens it. */
  readonly repositoryUrl?: string;
  /** Where the repository lies on the disk of the run. */
  readonly rootDirectory?: string;
  /** Full id of the commit. */
  readonly revision?: string;
  /** Branch or tag. */
  readonly refName?: string;
  /** Tracked files were changed after the commit. */
  readonly isModified?: boolean;
}
