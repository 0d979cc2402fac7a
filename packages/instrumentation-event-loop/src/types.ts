import type { Context, Span } from '@opentelemetry/api';
import type { InstrumentationConfig } from '@opentelemetry/instrumentation';

/**
 * Why a thread was blocked.
 *
 * - `javascript`: it ran JavaScript.
 * - `native`: it ran a native call that cannot be interrupted (`JSON.parse`, `pbkdf2Sync`).
 * - `gc`: it collected garbage for most of the block.
 * - `waiting`: it slept: synchronous I/O, `execSync`, `Atomics.wait`.
 * - `cpu_starved`: it was runnable and not run: an overloaded host or a CPU quota.
 * - `unknown`: what is needed to tell could not be had.
 */
export type BlockCause = 'javascript' | 'native' | 'gc' | 'waiting' | 'cpu_starved' | 'unknown';

/**
 * How far the stack of a block can be trusted.
 *
 * - `live`: taken while the culprit ran.
 * - `post_native`: the thread answered only after an uninterruptible call had returned; the line is the next one that
 *   ran, in the same function or its caller.
 * - `none`: there is no stack.
 */
export type StackQuality = 'live' | 'post_native' | 'none';

/** A place in the code, source-mapped where `--enable-source-maps` is on. */
export interface CodeLocation {
  /** As in a stack trace: `createSpans`, `Layer.handle`, `<anonymous>`. */
  readonly functionName: string;
  /** Absolute path, or the URL where the module has no path. */
  readonly filePath: string;
  /** From 1. */
  readonly lineNumber: number;
  /** From 1. */
  readonly columnNumber: number;
}

/** A block, as the `blockHook` sees it: plain data, frozen. Durations are in milliseconds. */
export interface BlockInfo {
  /** Start on the thread's `performance.now()` time line, in ms. */
  readonly startTime: number;
  /** End on the same time line, in ms. */
  readonly endTime: number;
  readonly durationMs: number;
  readonly cause: BlockCause;
  /** ms on a CPU; absent where it cannot be measured. */
  readonly cpuTimeMs?: number;
  /** ms in garbage collection, from the first sample of the block on; absent when not observed. */
  readonly gcTimeMs?: number;
  /** ms runnable but not run; absent where it cannot be measured. */
  readonly runQueueTimeMs?: number;
  /** Absent when nobody can be named, or with `captureStacks: false`. */
  readonly culprit?: CodeLocation;
  /** The most frequent stack, one `    at …` line a frame, with its `await` frames. */
  readonly stackTrace?: string;
  readonly stackQuality: StackQuality;
  readonly sampleCount: number;
  /** Folded stacks, root first: `a;b;c N` a line, N in ms. */
  readonly profile?: string;
  /** Type of the running asynchronous resource: `Timeout`, `HTTPINCOMINGMESSAGE`, … */
  readonly asyncResource?: string;
  /** For a thread asleep in `Atomics.wait`: what could not go on, as `Type×N`. */
  readonly pending?: readonly string[];
  /** Blocks of this culprit without a span since its last one. */
  readonly suppressedCount: number;
  /** 0 for the main thread. */
  readonly threadId: number;
  /** `main`, or the worker's name. */
  readonly threadName: string;
  /** OpenTelemetry context that was active in the blocking code; `ROOT_CONTEXT` when none was. */
  readonly context: Context;
}

/**
 * Called for each `event-loop-blocked` span, after its attributes are set and before it ends.
 * What it throws goes to `diag` and nowhere else.
 */
export type BlockHook = (span: Span, block: BlockInfo) => void;

/** Where the watchdog thread sends what it reports by itself. */
export interface HangExporterConfig {
  /** Base URL of an OTLP/HTTP receiver, as in `OTEL_EXPORTER_OTLP_ENDPOINT`; `/v1/traces` and `/v1/metrics` are appended. */
  readonly url: string;
  /** Headers of each request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Options of `EventLoopInstrumentation`. A bad value in code throws a `TypeError` or `RangeError` at construction; a bad
 * value in the environment is reported once through `diag`, and the default holds.
 */
export interface EventLoopInstrumentationConfig extends InstrumentationConfig {
  /**
   * A loop iteration that is busy for longer, in ms, is a block. Smaller finds smaller blocks and reports more of them;
   * larger finds only what users feel. At least 10 and at least `sampleIntervalMs`.
   * @default 100
   * Environment: `LOOPWATCH_BLOCKED_THRESHOLD_MS`.
   */
  blockedThresholdMs?: number;
  /**
   * A block that still lasts after this time, in ms, is reported by the watchdog thread as an `event-loop-hang` span,
   * and again at doubling intervals. 0 turns it off; otherwise at least `blockedThresholdMs`.
   * @default 5000
   * Environment: `LOOPWATCH_HANG_THRESHOLD_MS`.
   */
  hangThresholdMs?: number;
  /**
   * How often, in ms, a blocked thread is asked for its stack; the interval grows with the block. Smaller gives a finer
   * profile and costs the block more (about 0.1 ms a sample); larger may miss the culprit of a short block. At least 1.
   * @default 10
   * Environment: `LOOPWATCH_SAMPLE_INTERVAL_MS`.
   */
  sampleIntervalMs?: number;
  /**
   * `false`: no watchdog thread, hence no stacks, no culprit and no hang reports. Lag, durations and spans stay.
   * @default true
   * Environment: `LOOPWATCH_WATCHDOG`.
   */
  watchdog?: boolean;
  /**
   * Budget of `event-loop-blocked` spans a minute, shared fairly among culprits. The first span of each culprit is
   * always kept, and what was left out is counted on the next. 0 keeps only those firsts.
   * @default 60
   * Environment: `LOOPWATCH_SPANS_PER_MINUTE`.
   */
  spansPerMinute?: number;
  /**
   * `false`: no attribute with code leaves the process, neither on spans nor on metrics.
   * @default true
   * Environment: `LOOPWATCH_CAPTURE_STACKS`.
   */
  captureStacks?: boolean;
  /**
   * Where the watchdog thread sends hang reports. Set it when the SDK's exporter is configured in code.
   * @default the standard `OTEL_EXPORTER_OTLP_*` variables
   */
  hangExporter?: HangExporterConfig;
  /** Called for each `event-loop-blocked` span, for example to add attributes. Guarded. */
  blockHook?: BlockHook;
}
