/**
 * All names of spans, attributes and metrics that leave the process. Dashboards, alerts, the CLI and the tests import
 * them from here.
 *
 * Names that OpenTelemetry's semantic conventions define are used as defined
 * (https://opentelemetry.io/docs/specs/semconv/registry/attributes/). All other attributes and metrics have the prefix
 * `event_loop.`.
 */

/** Name of the instrumentation scope. */
export const SCOPE_NAME = '@loopwatch/instrumentation-event-loop';

/** Span of a block, from its start to its end. */
export const SPAN_EVENT_LOOP_BLOCKED = 'event-loop-blocked';
/** Span of a block that still lasts when the watchdog thread sends the span. */
export const SPAN_EVENT_LOOP_HANG = 'event-loop-hang';

/** Function that blocked (the culprit), named as in the stack trace: `createSpans`, `Layer.handle`. */
export const ATTR_CODE_FUNCTION_NAME = 'code.function.name';
/** Absolute path or URL of the culprit's file. */
export const ATTR_CODE_FILE_PATH = 'code.file.path';
/** Line in the culprit where most of the sampled time was spent, from 1. */
export const ATTR_CODE_LINE_NUMBER = 'code.line.number';
/** Column in that line, from 1. */
export const ATTR_CODE_COLUMN_NUMBER = 'code.column.number';
/** The most frequent stack of the block, with its `await` frames, in the format of V8. */
export const ATTR_CODE_STACKTRACE = 'code.stacktrace';
/** Node.js thread id of the blocked thread: 0 for the main thread. */
export const ATTR_THREAD_ID = 'thread.id';
/** Name of the thread: `main`, or the name of the worker thread. */
export const ATTR_THREAD_NAME = 'thread.name';

/**
 * What the code did: `javascript`, `native`, `gc`, `waiting` or `unknown`; `cpu_starved` only where the block would not
 * have been one without its run-queue time. See `BlockCause`.
 */
export const ATTR_BLOCKED_CAUSE = 'event_loop.blocked.cause';
/** Seconds of the block in which the thread was on a CPU. */
export const ATTR_BLOCKED_CPU_TIME = 'event_loop.blocked.cpu_time';
/** Seconds of the block in garbage collection, from its first sample on. */
export const ATTR_BLOCKED_GC_TIME = 'event_loop.blocked.gc_time';
/**
 * Seconds of the block in which the thread was ready to run and waited for a CPU, whatever the cause: the block lasted
 * that much longer because of a busy host or a CPU quota.
 */
export const ATTR_BLOCKED_RUN_QUEUE_TIME = 'event_loop.blocked.run_queue_time';
/** How reliable the stack is: `live`, `post_native` or `none`; see `StackQuality`. */
export const ATTR_BLOCKED_STACK_QUALITY = 'event_loop.blocked.stack_quality';
/** Number of stack samples of the block. */
export const ATTR_BLOCKED_SAMPLE_COUNT = 'event_loop.blocked.sample_count';
/** All samples of the block as folded stacks, root first: one `a;b;c N` a line, N in milliseconds. */
export const ATTR_BLOCKED_PROFILE = 'event_loop.blocked.profile';
/** Type of the asynchronous resource whose callback blocked: `Timeout`, `HTTPINCOMINGMESSAGE`, … */
export const ATTR_BLOCKED_ASYNC_RESOURCE = 'event_loop.blocked.async_resource';
/** Number of blocks of the same culprit that got no span since its last one. */
export const ATTR_BLOCKED_SUPPRESSED_COUNT = 'event_loop.blocked.suppressed_count';
/**
 * For a thread asleep in `Atomics.wait`: the work that could not continue, as `Type×N` strings. `Span×1` is the request
 * in whose span a worker sleeps.
 */
export const ATTR_BLOCKED_PENDING = 'event_loop.blocked.pending';
/** Number of open spans of other requests that the block delayed. */
export const ATTR_BLOCKED_VICTIMS = 'event_loop.blocked.victims';
/** Seconds that these spans waited for the block, summed. */
export const ATTR_BLOCKED_VICTIM_WAIT_TIME = 'event_loop.blocked.victim_wait_time';
/** On a delayed span: seconds of blocks in which it was open and others computed. */
export const ATTR_BLOCKED_WAIT_TIME = 'event_loop.blocked.wait_time';

/**
 * Histogram, s: how long an event waits for the event loop, whenever it arrives. A block of 3 s weighs 3 s, not one
 * sample.
 */
export const METRIC_EVENT_LOOP_LAG = 'event_loop.lag';
/** Histogram, s: duration of every block, also of those without a span. */
export const METRIC_EVENT_LOOP_BLOCKED_DURATION = 'event_loop.blocked.duration';
/**
 * Counter, s: the part of `event_loop.blocked.duration` in which the thread was ready to run and waited for a CPU, by the
 * same attributes. Absent where the system does not report it.
 */
export const METRIC_EVENT_LOOP_BLOCKED_RUN_QUEUE_TIME = 'event_loop.blocked.run_queue_time';
/** Gauge, s: how long a thread has been blocked so far, sent by the watchdog thread while the block lasts. */
export const METRIC_EVENT_LOOP_STALLED = 'event_loop.stalled';
/** Up-down counter, {thread}: live worker threads, by thread name. */
export const METRIC_EVENT_LOOP_THREADS = 'event_loop.threads';
/** Gauge, 1: share of the time in which the event loop was busy, 0 to 1, by thread name (the mean of its threads). */
export const METRIC_EVENT_LOOP_UTILIZATION = 'event_loop.utilization';
/** Gauge, s: how long the longest idle thread has been idle, by thread name. */
export const METRIC_EVENT_LOOP_THREAD_IDLE_AGE = 'event_loop.thread.idle_age';

/** Value of `code.function.name` on metrics for all culprits that are not among the busiest. */
export const OTHER_CULPRITS = 'other';
