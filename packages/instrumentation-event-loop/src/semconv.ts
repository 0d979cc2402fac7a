/**
 * Every name that leaves the process. Dashboards, alerts, the CLI and the tests read them from here.
 *
 * Names that OpenTelemetry's semantic conventions define are repeated as they are there
 * (https://opentelemetry.io/docs/specs/semconv/registry/attributes/); all others carry the prefix `event_loop.`.
 */

/** Name of the instrumentation scope. */
export const SCOPE_NAME = '@loopwatch/instrumentation-event-loop';

/** Span of a block, from its start to its end. */
export const SPAN_EVENT_LOOP_BLOCKED = 'event-loop-blocked';
/** Span of a block that had not ended when it was sent. */
export const SPAN_EVENT_LOOP_HANG = 'event-loop-hang';

/** Function of the culprit frame, qualified as in the stack trace. */
export const ATTR_CODE_FUNCTION_NAME = 'code.function.name';
/** Absolute path or URL of the culprit frame's file. */
export const ATTR_CODE_FILE_PATH = 'code.file.path';
/** Line of the culprit frame, from 1. */
export const ATTR_CODE_LINE_NUMBER = 'code.line.number';
/** Column of the culprit frame, from 1. */
export const ATTR_CODE_COLUMN_NUMBER = 'code.column.number';
/** The most frequent stack of the block, as V8 prints stacks. */
export const ATTR_CODE_STACKTRACE = 'code.stacktrace';
/** Node.js thread id: 0 for the main thread. */
export const ATTR_THREAD_ID = 'thread.id';
/** `main`, or the name of the worker thread. */
export const ATTR_THREAD_NAME = 'thread.name';

/** Why the thread was blocked: one of `BlockCause`. */
export const ATTR_BLOCKED_CAUSE = 'event_loop.blocked.cause';
/** Seconds of the block that the thread spent on a CPU. */
export const ATTR_BLOCKED_CPU_TIME = 'event_loop.blocked.cpu_time';
/** Seconds of the block that were garbage collection. */
export const ATTR_BLOCKED_GC_TIME = 'event_loop.blocked.gc_time';
/** Seconds of the block that the thread was runnable and waited for a CPU. */
export const ATTR_BLOCKED_RUN_QUEUE_TIME = 'event_loop.blocked.run_queue_time';
/** `live`, `post_native` or `none`. */
export const ATTR_BLOCKED_STACK_QUALITY = 'event_loop.blocked.stack_quality';
/** Number of stacks taken while the block lasted. */
export const ATTR_BLOCKED_SAMPLE_COUNT = 'event_loop.blocked.sample_count';
/** All stacks of the block, folded: `a;b;c N` a line, N in milliseconds. */
export const ATTR_BLOCKED_PROFILE = 'event_loop.blocked.profile';
/** Type of the asynchronous resource whose callback blocked. */
export const ATTR_BLOCKED_ASYNC_RESOURCE = 'event_loop.blocked.async_resource';
/** Blocks of the same culprit left out since its last span. */
export const ATTR_BLOCKED_SUPPRESSED_COUNT = 'event_loop.blocked.suppressed_count';
/** Work that could not go on while the thread slept: `Type×N` strings. */
export const ATTR_BLOCKED_PENDING = 'event_loop.blocked.pending';
/** Number of open spans of others that the block delayed. */
export const ATTR_BLOCKED_VICTIMS = 'event_loop.blocked.victims';
/** Seconds that those spans waited, summed. */
export const ATTR_BLOCKED_VICTIM_WAIT_TIME = 'event_loop.blocked.victim_wait_time';
/** On a delayed span: seconds that it waited for blocks of others, summed. */
export const ATTR_BLOCKED_WAIT_TIME = 'event_loop.blocked.wait_time';

/** Histogram, s: what an event that arrives at any moment would wait. */
export const METRIC_EVENT_LOOP_LAG = 'event_loop.lag';
/** Histogram, s: every block, also those without a span. */
export const METRIC_EVENT_LOOP_BLOCKED_DURATION = 'event_loop.blocked.duration';
/** Gauge, s: how long a thread has been blocked so far, while it lasts. */
export const METRIC_EVENT_LOOP_STALLED = 'event_loop.stalled';
/** Up-down counter, {thread}: live worker threads by name. */
export const METRIC_EVENT_LOOP_THREADS = 'event_loop.threads';
/** Gauge, 1: share of the time that a thread's loop was busy, by thread name. */
export const METRIC_EVENT_LOOP_UTILIZATION = 'event_loop.utilization';
/** Gauge, s: how long the thread that has been idle for the longest has been so, by thread name. */
export const METRIC_EVENT_LOOP_THREAD_IDLE_AGE = 'event_loop.thread.idle_age';

/** Value of `code.function.name` on metrics for culprits beyond the busiest. */
export const OTHER_CULPRITS = 'other';
