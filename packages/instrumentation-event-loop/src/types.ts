import type { Context, Span } from '@opentelemetry/api';
import type { InstrumentationConfig } from '@opentelemetry/instrumentation';

/**
 * What the code of a block did for at least half of its time. Time in which the thread was ready to run and waited for a
 * CPU does not count: an overloaded host or a CPU quota stretches a block whatever its code does. `runQueueTimeMs` says
 * by how much.
 *
 * - `javascript`: it ran JavaScript.
 * - `native`: it ran native calls: `JSON.parse`, a regular expression, `pbkdf2Sync`.
 * - `gc`: it collected garbage.
 * - `waiting`: it slept: synchronous I/O, `execSync`, `Atomics.wait`.
 * - `cpu_starved`: without the time in which it waited for a CPU, it would not have been a block: `durationMs` minus
 *   `runQueueTimeMs` is below the threshold (the smallest of all instances of the instrumentation in this thread).
 * - `unknown`: the measurements and samples do not show the cause.
 */
export type BlockCause = 'javascript' | 'native' | 'gc' | 'waiting' | 'cpu_starved' | 'unknown';

/**
 * How reliable the stack of a block is.
 *
 * - `live`: sampled while the culprit ran.
 * - `post_native`: sampled after a native call that V8 cannot interrupt had returned. The culprit is a guess: the
 *   function that made the call, at the next line that ran, or its caller where the call was the last thing it did.
 *   A block that was sampled only in its second half, because the watchdog thread was still starting, has this quality,
 *   too: its culprit ran after that. So has one whose culprit was seen only after garbage collections, each time in
 *   another function, or only at the entry of a function of Node that it calls, never at work itself.
 * - `none`: there is no stack.
 */
export type StackQuality = 'live' | 'post_native' | 'none';

/** A position in the code: that in its source, where a source map says it. */
export interface CodeLocation {
  /** Name as in a stack trace: `createSpans`, `Layer.handle`, `<anonymous>`. */
  readonly functionName: string;
  /** Absolute path, or the URL of a module without a path. */
  readonly filePath: string;
  /** From 1. */
  readonly lineNumber: number;
  /** From 1. */
  readonly columnNumber: number;
}

/** A block, as the `blockHook` gets it: plain data, frozen. Durations are in milliseconds. */
export interface BlockInfo {
  /** Start, as a value of the thread's `performance.now()`, in ms. */
  readonly startTime: number;
  /** End, as a value of the thread's `performance.now()`, in ms. */
  readonly endTime: number;
  readonly durationMs: number;
  readonly cause: BlockCause;
  /**
   * The share that decided on the cause, and why the culprit is a guess, where it is one: `native 62 % of 480 ms`,
   * `javascript 91 % of 480 ms; guess: 2 answers`. A text for people: it may change in any version.
   */
  readonly because?: string;
  /** Time on a CPU, in ms; absent where it cannot be measured. */
  readonly cpuTimeMs?: number;
  /** Garbage collection from the first sample of the block on, in ms; absent when it was not observed. */
  readonly gcTimeMs?: number;
  /**
   * Time in which the thread was ready to run and waited for a CPU, in ms; absent where it cannot be measured. Without
   * it, the block would have lasted `durationMs - runQueueTimeMs`.
   */
  readonly runQueueTimeMs?: number;
  /** The code that blocked; absent when it is not known, and with `captureStacks: false`. */
  readonly culprit?: CodeLocation;
  /** The most frequent stack, with its `await` frames: one `    at …` line for each frame. */
  readonly stackTrace?: string;
  readonly stackQuality: StackQuality;
  readonly sampleCount: number;
  /** All samples as folded stacks, root first: one `a;b;c N` a line, N in ms. */
  readonly profile?: string;
  /**
   * The time of each line of the culprit, heaviest first: one `17 1650` a line, line number and ms. Absent where the
   * samples show it at one line only.
   */
  readonly lines?: string;
  /** Type of the asynchronous resource whose callback ran: `Timeout`, `HTTPINCOMINGMESSAGE`, … */
  readonly asyncResource?: string;
  /**
   * For a thread asleep in `Atomics.wait`: the work that could not continue, as `Type×N`. `Span×1` is the request in
   * whose span a worker sleeps.
   */
  readonly pending?: readonly string[];
  /** Blocks of this culprit that got no span since its last one. */
  readonly suppressedCount: number;
  /** Node.js thread id: 0 for the main thread. */
  readonly threadId: number;
  /** `main`, or the name of the worker thread. */
  readonly threadName: string;
  /** OpenTelemetry context that was active in the blocking code; `ROOT_CONTEXT` when none was. */
  readonly context: Context;
}

/**
 * Called for each `event-loop-blocked` span, after its attributes are set and before it ends. An error that it throws
 * is logged through `diag` and does not reach the application. It is not called for a block that it has caused itself.
 */
export type BlockHook = (span: Span, block: BlockInfo) => void;

/**
 * A block, as `loopwatch:block` of `node:diagnostics_channel` publishes it: plain data for loggers, frozen. Every block is
 * published, also without an SDK and beyond `spansPerMinute`. The fields that `BlockInfo` has, too, mean the same.
 *
 * ```ts
 * diagnostics_channel.subscribe('loopwatch:block', (block) => logger.warn(block, 'event loop blocked'));
 * ```
 *
 * A block is published in the thread that it blocked. That of a worker without an SDK and without a subscriber of its own
 * is published in the main thread. What a subscriber throws is caught and reported once through `diag`; a block that the
 * subscribers themselves have caused is not published.
 */
export interface BlockMessage extends Omit<BlockInfo, 'startTime' | 'endTime' | 'suppressedCount' | 'context'> {
  /** Start, in ms since the Unix epoch. */
  readonly startEpochMs: number;
  /** Trace of the span that was active in the blocking code, in hex; absent without one, as is `spanId`. */
  readonly traceId?: string;
  readonly spanId?: string;
}

/**
 * A hang, as `loopwatch:hang` of `node:diagnostics_channel` publishes it: a block that lasts for longer than
 * `hangThresholdMs`, and again at doubling intervals. `durationMs` is its length so far, and `profile` and times are as
 * of then.
 *
 * Nothing is published inside blocked code. The hang of a worker thread is published in the main thread at once, that of
 * the main thread when its loop iterates again. It needs the `watchdog`, and a subscriber one second before the hang.
 */
export interface HangMessage extends BlockMessage {
  /**
   * Name of the request in which the thread hangs, with its route or path; absent outside of any span. The span
   * attribute `event_loop.blocked.request` is the source.
   */
  readonly request?: string;
}

/**
 * A task that waited for a thread of libuv's pool for longer than `blockedThresholdMs`, as `loopwatch:thread-pool` of
 * `node:diagnostics_channel` publishes it: plain data for loggers, frozen. It is published in the thread that has started
 * the watchdog, the main thread as a rule: once in ten seconds at most, and after 2 s and at doubling ages while it lasts.
 */
export interface ThreadPoolMessage {
  /** When the task was queued, in ms since the Unix epoch. */
  readonly startEpochMs: number;
  /** How long it waited, or has waited so far. */
  readonly durationMs: number;
  /** False: it still waits. */
  readonly hasEnded: boolean;
  /** Number of threads of the pool; absent where the system does not show them. */
  readonly size?: number;
  /** What the threads did, as `cpu×4` or `openat×3`; empty where the system does not show it. */
  readonly holders: readonly string[];
  /** Operations of this thread that waited, as `FSReqCallback×12`. Hashing and compression are not listed. */
  readonly queued: readonly string[];
  /**
   * Requests of this thread that were not answered when the pool was full, as `POST /login×12`: the most frequent, three at
   * most, in the order of their oldest one. Which of them filled the pool, they do not show. Empty where no open requests are known, which
   * `EventLoopSpanProcessor` follows, and where no name has at least half of them.
   */
  readonly requests: readonly string[];
  /** Only tasks that may take half of the pool waited: `dns.lookup` and `dns.lookupService`. */
  readonly lane?: 'slow_io';
}

/**
 * What a thread's loop did in about a second, as `loopwatch:busy` of `node:diagnostics_channel` publishes it: plain data,
 * frozen. `busyMs` is exact; the answers only divide it. A thread is asked at random times, at most `busySamplesPerSecond` in
 * each second for which it is busy. One answer of a second says little: add up `busyMs` and `weightMs` of many messages of
 * a thread first, and divide then. The time of a share is Σ `busyMs` × its `weightMs` ÷ Σ `weightMs`. So the
 * time of a message without answers is not lost, and does not go to what happened to run in the next one.
 *
 * It is published in the thread that it is about, once a second at most, and only where the loop was busy since the last
 * message. That of a worker without an SDK and without a subscriber of its own is published in the main thread. It needs
 * the `watchdog`, and a subscriber or a meter provider.
 */
export interface BusyMessage {
  /** Node.js thread id: 0 for the main thread. */
  readonly threadId: number;
  /** `main`, or the name of the worker thread. */
  readonly threadName: string;
  /** Start, in ms since the Unix epoch. Messages of a thread follow each other without gaps, apart from idle seconds. */
  readonly startEpochMs: number;
  readonly durationMs: number;
  /** For how much of it the loop was busy, in ms: not idle, and not at a breakpoint, suspended or in start-up. */
  readonly busyMs: number;
  /**
   * Part of `busyMs` in which the thread was ready to run and waited for a CPU, in ms. Absent where the system does not show
   * it.
   */
  readonly runQueueTimeMs?: number;
  /** Part of `busyMs` in garbage collections, in ms. Absent where they were not measured for most of it. */
  readonly gcTimeMs?: number;
  /** Number of times that the thread was found busy: the sum of those of the shares. May be 0. */
  readonly answers: number;
  /** What it did then; each request, function and stack once. The most frequent first. */
  readonly shares: readonly BusyShare[];
}

/** How often a busy thread was found in one stack, for one request. */
export interface BusyShare {
  /** Name of the request; absent outside of one. */
  readonly request?: string;
  /**
   * The innermost function of the application on the stack, else of a dependency, of telemetry or of Node.js, at the line
   * where it was first found. Absent where no JavaScript was on the stack, and with `captureStacks: false`.
   */
  readonly culprit?: CodeLocation;
  /** The stack as `outer;inner`, with the names of a block's profile; empty where `culprit` is absent. */
  readonly stack: string;
  /** It was found there while the loop was blocked: in an iteration that was busy for `blockedThresholdMs` or longer. */
  readonly isInBlock: boolean;
  /** Number of times that it was found there. */
  readonly answers: number;
  /**
   * Busy time for which these answers stand, in ms, by how often the thread was asked then. Only its ratio to that of the
   * other shares is of use: `busyMs` is the exact time.
   */
  readonly weightMs: number;
  /**
   * Those of `answers` that came only after a call that V8 does not interrupt: a guess, because the stack may show what ran
   * after that call. Where they are most of a share's answers, its function is a guess.
   */
  readonly lateAnswers: number;
}

/** How long a thread took to start up, as the `startUpHook` gets it: plain data, frozen. */
export interface StartUpInfo {
  /**
   * Time in which the thread was busy from its beginning until its entry point had been evaluated, in ms. Where the entry
   * point waits in a top-level `await`, until the loop ran the application.
   */
  readonly durationMs: number;
  /** Node.js thread id: 0 for the main thread. */
  readonly threadId: number;
  /** `main`, or the name of the worker thread. */
  readonly threadName: string;
}

/**
 * Called once in each thread that was instrumented before its entry point was evaluated. An error that it throws is
 * logged through `diag` and does not reach the application.
 */
export type StartUpHook = (startUp: StartUpInfo) => void;

/** Where the watchdog thread sends hang reports. */
export interface HangExporterConfig {
  /**
   * Base URL of an OTLP/HTTP receiver: `/v1/traces` and `/v1/metrics` are appended, as to
   * `OTEL_EXPORTER_OTLP_ENDPOINT`.
   *
   * Or the `file:` URL of a file that exists, as `loopwatch run` has one: from `blockedThresholdMs` on, each block is
   * reported to it while it lasts, so that it is known where the process is killed. Each request is a line of JSON,
   * `{ "headers": …, "body": … }`. Once one could not be written, others may execute the file (`chmod o+x`): something is
   * missing in it.
   */
  readonly url: string;
  /** Headers of each request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Options of `EventLoopInstrumentation`. An option in code wins over the configuration file (`OTEL_CONFIG_FILE`, in snake
 * case), and the file over the environment variable.
 *
 * An invalid value in code throws a `TypeError` (wrong type) or a `RangeError` (out of range) at construction. An
 * invalid value in the environment is reported once through `diag`, and the default applies. Numbers are at most
 * 2147483647, the longest delay of a Node.js timer in ms.
 */
export interface EventLoopInstrumentationConfig extends InstrumentationConfig {
  /**
   * An event loop iteration that is busy for at least this time, in ms, is a block. A smaller value finds shorter
   * blocks and reports more of them. A larger value finds only blocks that users notice. At least 10 and at least
   * `sampleIntervalMs`.
   * Environment: `LOOPWATCH_BLOCKED_THRESHOLD_MS`.
   * @default 100
   */
  blockedThresholdMs?: number;
  /**
   * A block that lasts for longer than this time, in ms, is a hang: the watchdog thread reports it as an
   * `event-loop-hang` span while it lasts, and again at doubling intervals. A smaller value reports hangs sooner and
   * reports more of them. A larger value reports nothing of a process that is killed earlier. 0 turns hang reports and
   * `event_loop.stalled` off; otherwise at least `blockedThresholdMs`.
   * Environment: `LOOPWATCH_HANG_THRESHOLD_MS`.
   * @default 5000, or `blockedThresholdMs` where that is larger
   */
  hangThresholdMs?: number;
  /**
   * Time between two samples of a blocked thread's stack, in ms; it grows while the block lasts. A smaller value gives
   * a finer profile and prolongs the block more (by about 0.1 ms for each sample). A larger value may miss the culprit
   * of a short block. At least 1 and at most `blockedThresholdMs`.
   * Environment: `LOOPWATCH_SAMPLE_INTERVAL_MS`.
   * @default 10
   */
  sampleIntervalMs?: number;
  /**
   * `false`: no watchdog thread, and therefore no stacks, no culprits and no hang reports, and suspensions of the
   * process are not recognised. Lag, durations and spans stay.
   * Environment: `LOOPWATCH_WATCHDOG`.
   * @default true
   */
  watchdog?: boolean;
  /**
   * Budget of `event-loop-blocked` spans in any 60 seconds, shared evenly among the culprits. The first span of each
   * culprit is always kept. Each span says how many blocks of its culprit got no span since the last one. A smaller
   * value exports fewer spans; a larger value shows more single blocks. Metrics count all blocks in any case. At least
   * 0, which keeps only the first span of each culprit.
   * Environment: `LOOPWATCH_SPANS_PER_MINUTE`.
   * @default 60
   */
  spansPerMinute?: number;
  /**
   * `false`: no `code.*` attribute and no profile leaves the process, neither on spans nor on metrics.
   * Environment: `LOOPWATCH_CAPTURE_STACKS`.
   * @default true
   */
  captureStacks?: boolean;
  /**
   * `true`: start-up is judged like everything else, and is reported as a block where it is long enough. Start-up is the
   * evaluation of the entry point and of what it imports; no event waits for it. The watchdog thread starts at once, which
   * costs programs that end soon some CPU time. Needs a preload (`--import`, `--require`) that starts the SDK: what has
   * run before is not seen, and the SDK that `/register` starts comes too late to export it.
   * Environment: `LOOPWATCH_COUNT_START_UP`.
   * @default false
   */
  countStartUp?: boolean;
  /**
   * How often a thread is asked at random what it does, at most, in a second for which its loop is busy. The answers divide
   * the busy time among requests and functions, also where nothing blocks. An answer costs 0.3 to 0.8 ms of the thread, and
   * about as much of the watchdog, which measures it. All threads together are asked as often as takes 0.3 % of a core on
   * average; above 5, in proportion more. What is not used is kept for 100 seconds, so that short runs and
   * the beginning of an incident are asked at this rate. A larger value shows smaller shares sooner. With a smaller value,
   * it takes longer until the shares are true: after 500 answers they are wrong by 5 points at most, as a rule. An idle
   * thread is never asked. From 0 to 1000; 0 turns it off, and `event_loop.busy_time` and `event-loop-saturated` with it.
   * Needs the `watchdog`.
   * Environment: `LOOPWATCH_BUSY_SAMPLES_PER_SECOND`.
   * @default 5
   */
  busySamplesPerSecond?: number;
  /**
   * `false`: libuv's thread pool is not watched, which `fs`, `dns.lookup`, `crypto` and `zlib` share. The watchdog thread
   * looks five times a second whether one of the pool's threads is idle; where none is, it queues a task of no work and
   * measures how long it waits.
   * Environment: `LOOPWATCH_THREAD_POOL`.
   * @default true
   */
  threadPool?: boolean;
  /**
   * `false`: files, lines and names stay those of the generated code where Node.js itself has no source maps
   * (`--enable-source-maps`). Otherwise the watchdog thread reads the map that a file of the application names in its last
   * comment, within the file or beside it; the application's thread reads and parses nothing. Maps up to 128 MB; one that
   * is missing, broken, or older than its file is ignored. Needs the `watchdog`.
   * Environment: `LOOPWATCH_SOURCE_MAPS`.
   * @default true
   */
  sourceMaps?: boolean;
  /**
   * Port on which `GET /livez` and `GET /readyz` are answered, also while the main thread is blocked. The status is 503 once
   * the main thread has been blocked for `livenessThresholdMs` or `readinessThresholdMs`, else 200. The body is JSON:
   * `status` (`ok` or `blocked`), `blockedMs` and, where it is known, `culprit`. A whole number up to 65535; 0 turns it off.
   * A port in use is reported once through `diag`, and tried again every 5 s. Only the main thread's option counts. Needs
   * the `watchdog`.
   * Environment: `LOOPWATCH_LIVENESS_PORT`.
   * @default 0
   */
  livenessPort?: number;
  /**
   * Address on which `livenessPort` listens. Other machines, such as the kubelet of Kubernetes, reach only an address
   * of the network: the pod's, or `0.0.0.0` for all. Anyone who reaches it can read the answer.
   * Environment: `LOOPWATCH_LIVENESS_HOST`.
   * @default 127.0.0.1
   */
  livenessHost?: string;
  /**
   * When the main thread has been blocked for this time, in ms, `GET /livez` answers 503. A smaller value restarts a
   * hung process sooner. If it is smaller than a long block from which the process recovers, that block ends in a
   * restart. At least 10 and at least `blockedThresholdMs`.
   * Environment: `LOOPWATCH_LIVENESS_THRESHOLD_MS`.
   * @default 60000, or `blockedThresholdMs` where that is larger
   */
  livenessThresholdMs?: number;
  /**
   * When the main thread has been blocked for this time, in ms, `GET /readyz` answers 503, so that a balancer sends the
   * next requests to other instances. With a smaller value, fewer requests wait for a block. If it is smaller than
   * blocks that are usual, instances leave and join the balancer all the time, and those that stay get more requests.
   * At least 10 and at least `blockedThresholdMs`.
   * Environment: `LOOPWATCH_READINESS_THRESHOLD_MS`.
   * @default 1000, or `blockedThresholdMs` where that is larger
   */
  readinessThresholdMs?: number;
  /**
   * Where the watchdog thread sends hang reports. Set it where the SDK's exporter is configured in code: the watchdog
   * thread cannot read that configuration.
   * @default where the file in `OTEL_CONFIG_FILE` sends spans and metrics by OTLP over HTTP, else the standard
   * `OTEL_EXPORTER_OTLP_*` variables
   */
  hangExporter?: HangExporterConfig;
  /** Called for each `event-loop-blocked` span, for example to add attributes. Its errors are caught and logged. */
  blockHook?: BlockHook;
  /** Called with the length of the thread's start-up, when it is over. Its errors are caught and logged. */
  startUpHook?: StartUpHook;
}
