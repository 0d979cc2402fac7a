/**
 * All names of spans, attributes and metrics that leave the process. The CLI and the tests import them from here.
 *
 * Names that OpenTelemetry's semantic conventions define are used as defined
 * (https://opentelemetry.io/docs/specs/semconv/registry/attributes/). All other attributes and metrics have the prefix
 * `event_loop.`, or `libuv.` where they are of libuv's thread pool.
 *
 * Generated from semconv/registry by `npm run generate`; do not edit.
 */

/** Name of the instrumentation scope. */
export const SCOPE_NAME = '@loopwatch/instrumentation-event-loop';

/**
 * A block, from its start to its end. It is a child of the span that was active in the blocking code. Without an active
 * span it is a root span; if that span is not sampled, a root span with a link to it.
 */
export const SPAN_EVENT_LOOP_BLOCKED = 'event-loop-blocked';
/**
 * A block that still lasts when the watchdog thread sends the span by OTLP/HTTP. It has the parent and the attributes
 * of the block's span. A hang is reported even if the process never recovers and is killed.
 */
export const SPAN_EVENT_LOOP_HANG = 'event-loop-hang';
/**
 * A thread whose loop was busy for at least 90 % of ten seconds, whether something blocked or not. A root span over
 * that time; at most one a minute and thread.
 */
export const SPAN_EVENT_LOOP_SATURATED = 'event-loop-saturated';
/**
 * A task that waited for a thread of libuv's pool for longer than `blockedThresholdMs`, from when it was queued to when
 * it ran. The task is one of the watchdog thread, which waits in the queue of the application's tasks. A root span; at
 * most one in ten seconds, and those that waited twice as long as the last. While the wait lasts, it is sent after 2 s
 * and then at doubling ages.
 */
export const SPAN_LIBUV_THREAD_POOL_STARVED = 'thread-pool-starved';

/** Column in the culprit's line, from 1. */
export const ATTR_CODE_COLUMN_NUMBER = 'code.column.number';
/** Absolute path or URL of the culprit's file. */
export const ATTR_CODE_FILE_PATH = 'code.file.path';
/**
 * Function that blocked (the culprit), named as in the stack trace. The deepest function of the application in which at
 * least half of the sampled time was spent; a function of a dependency or of Node.js where most samples show no
 * application code.
 */
export const ATTR_CODE_FUNCTION_NAME = 'code.function.name';
/** Line in the culprit where most of the sampled time was spent, from 1. */
export const ATTR_CODE_LINE_NUMBER = 'code.line.number';
/** The most frequent stack of the block, with its `await` frames, in the format of V8. */
export const ATTR_CODE_STACKTRACE = 'code.stacktrace';
/** Node.js thread id, 0 for the main thread. */
export const ATTR_THREAD_ID = 'thread.id';
/** Name of the thread, `main` or the name of the worker thread. */
export const ATTR_THREAD_NAME = 'thread.name';

/**
 * What the code did for at least half of the block. Time in which the thread waited for a CPU does not count, whatever
 * the code did. One of `javascript`, `native`, `gc`, `waiting`, `cpu_starved`, `unknown`.
 */
export const ATTR_BLOCKED_CAUSE = 'event_loop.blocked.cause';
/**
 * Why the block has its cause, and why its culprit is a guess, where it is one. The share that decided, then what the
 * samples lack.
 */
export const ATTR_BLOCKED_BECAUSE = 'event_loop.blocked.because';
/** Seconds of the block in which the thread was on a CPU. */
export const ATTR_BLOCKED_CPU_TIME = 'event_loop.blocked.cpu_time';
/**
 * Seconds between start and end of the span that are no part of the block, such as a suspension of the process. The
 * duration of the block is that of the span without them.
 */
export const ATTR_BLOCKED_EXCLUDED_TIME = 'event_loop.blocked.excluded_time';
/** Seconds of the block in garbage collection. */
export const ATTR_BLOCKED_GC_TIME = 'event_loop.blocked.gc_time';
/**
 * Seconds of the block in which the thread was ready to run and waited for a CPU, whatever the cause. A busy host or a
 * CPU quota made the block longer by them.
 */
export const ATTR_BLOCKED_RUN_QUEUE_TIME = 'event_loop.blocked.run_queue_time';
/** How reliable the stack is. One of `live`, `post_native`, `none`. */
export const ATTR_BLOCKED_STACK_QUALITY = 'event_loop.blocked.stack_quality';
/** Number of stack samples of the block. */
export const ATTR_BLOCKED_SAMPLE_COUNT = 'event_loop.blocked.sample_count';
/** All samples of the block as folded stacks, root first. One `a;b;c N` a line, `N` in milliseconds. */
export const ATTR_BLOCKED_PROFILE = 'event_loop.blocked.profile';
/**
 * The time of each line of `code.function.name`, heaviest first, as the samples show it. One `17 1650` a line, line
 * number and milliseconds.
 */
export const ATTR_BLOCKED_LINES = 'event_loop.blocked.lines';
/** Type of the asynchronous resource whose callback blocked. */
export const ATTR_BLOCKED_ASYNC_RESOURCE = 'event_loop.blocked.async_resource';
/** Number of blocks of the same culprit that got no span since its last one. */
export const ATTR_BLOCKED_SUPPRESSED_COUNT = 'event_loop.blocked.suppressed_count';
/**
 * For a thread asleep in `Atomics.wait`, the work that could not continue, as `Type×N`. `Span×1` is the request in
 * whose span a worker sleeps.
 */
export const ATTR_BLOCKED_PENDING = 'event_loop.blocked.pending';
/**
 * Name of the request in which the thread hangs, with its route or path. The request's own span arrives when it ends:
 * after the hang, and never if the process is killed. It is the name of the SERVER or CONSUMER span as it is during the
 * hang, or of the active span where no such span is known.
 */
export const ATTR_BLOCKED_REQUEST = 'event_loop.blocked.request';
/**
 * Seconds since the hanging thread last answered the watchdog, where it does not answer now. The parent and
 * `event_loop.blocked.request` are of that moment. Absent where the whole report is of now.
 */
export const ATTR_BLOCKED_ANSWER_AGE = 'event_loop.blocked.answer_age';
/**
 * Child processes that a hanging thread has started within the block, as `name (pid)`. It sleeps and does not answer,
 * so it probably waits for one of them, as in `execSync`.
 */
export const ATTR_BLOCKED_CHILD_PROCESSES = 'event_loop.blocked.child_processes';
/**
 * Number of earlier hang reports of the process that this receiver did not get. It had refused them, or could not be
 * reached while more than 32 waited.
 */
export const ATTR_HANG_DROPPED_COUNT = 'event_loop.hang.dropped_count';
/** Number of open spans of other requests that the block delayed. */
export const ATTR_BLOCKED_VICTIMS = 'event_loop.blocked.victims';
/** Seconds that the delayed spans waited for the block, summed. */
export const ATTR_BLOCKED_VICTIM_WAIT_TIME = 'event_loop.blocked.victim_wait_time';
/** Seconds of blocks in which the span was open and others computed. */
export const ATTR_BLOCKED_WAIT_TIME = 'event_loop.blocked.wait_time';
/**
 * Name of the SERVER or CONSUMER span in which the loop spent the time, with its route; outside of any span, of a job
 * or timer by its function.
 */
export const ATTR_REQUEST = 'event_loop.request';
/** Share of the time in which the event loop was busy, 0 to 1. */
export const ATTR_UTILIZATION = 'event_loop.utilization';
/** Part of the busy time that `code.function.name` had, with what it called, 0 to 1. */
export const ATTR_BUSY_SHARE = 'event_loop.busy.share';
/** Part of the busy time that `event_loop.request` had, 0 to 1. */
export const ATTR_BUSY_REQUEST_SHARE = 'event_loop.busy.request_share';
/**
 * Seconds of the busy time in which the thread was ready to run and waited for a CPU. A busy host or a CPU quota. Where
 * it is much of the busy time, the functions are those that had to wait, and not what uses the CPU.
 */
export const ATTR_BUSY_RUN_QUEUE_TIME = 'event_loop.busy.run_queue_time';
/**
 * Seconds of the busy time in garbage collections. Where it is much of the busy time, look at what the functions
 * allocate, and at the size of the heap. Collections that are many and short are measured now and then only.
 */
export const ATTR_BUSY_GC_TIME = 'event_loop.busy.gc_time';
/**
 * Number of random moments at which the busy thread was found, by which the shares were measured. With 50, a share is
 * wrong by up to 14 points, and with 500 by up to 5, in 95 of 100 cases.
 */
export const ATTR_BUSY_ANSWER_COUNT = 'event_loop.busy.answer_count';
/** The busy time as folded stacks, root first. One `a;b;c N` a line, `N` in milliseconds. */
export const ATTR_BUSY_PROFILE = 'event_loop.busy.profile';
/** Number of threads of the pool. */
export const ATTR_LIBUV_THREAD_POOL_SIZE = 'libuv.thread_pool.size';
/**
 * What the threads of the pool did while the task waited, as `cpu×4`; a system call by its name. `cpu` is hashing,
 * compression or an addon; `kernel` is CPU time of the system, as for copies of files. Linux only.
 */
export const ATTR_LIBUV_THREAD_POOL_HOLDERS = 'libuv.thread_pool.holders';
/**
 * Operations of the main thread that waited for the pool, as `Type×N`, as many as were seen to wait at once. Node.js
 * does not list hashing, key generation and compression.
 */
export const ATTR_LIBUV_THREAD_POOL_QUEUED = 'libuv.thread_pool.queued';
/**
 * Requests that the main thread had not answered when the pool was full, by name, as `name×N`: the three most frequent,
 * in the order of their oldest one. They show which requests were at work then, and not which of them filled the pool.
 * Absent where no name has at least half of them.
 */
export const ATTR_LIBUV_THREAD_POOL_REQUESTS = 'libuv.thread_pool.requests';
/** Which tasks waited, where the rest of the pool was free. One of `slow_io`. */
export const ATTR_LIBUV_THREAD_POOL_LANE = 'libuv.thread_pool.lane';

/**
 * Histogram, s. How long an event waits for the event loop, whenever it arrives. A block of 3 s weighs 3 s, not one
 * sample.
 */
export const METRIC_EVENT_LOOP_LAG = 'event_loop.lag';
/**
 * Histogram, s. Duration of the blocks of the event loop, including those without a span. By cause, thread name and
 * culprit (the busiest 20; the rest is `other`).
 */
export const METRIC_EVENT_LOOP_BLOCKED_DURATION = 'event_loop.blocked.duration';
/**
 * Counter, s. Part of the duration of the blocks in which the thread was ready to run and waited for a CPU. By the
 * attributes of `event_loop.blocked.duration`; absent where the system does not report it.
 */
export const METRIC_EVENT_LOOP_BLOCKED_RUN_QUEUE_TIME = 'event_loop.blocked.run_queue_time';
/**
 * Counter, s. Time for which the event loop was busy, also where nothing blocked. The time is exact; answers at random
 * moments divide it among requests and functions. The 20 busiest pairs of request and function have a series each, once
 * they have 2 % of the time; of the rest, the 20 busiest requests; at most 41 series a thread name and process.
 */
export const METRIC_EVENT_LOOP_BUSY_TIME = 'event_loop.busy_time';
/** Gauge, s. How long a thread has been blocked so far, while it lasts. From 1 s on; the watchdog thread sends it. */
export const METRIC_EVENT_LOOP_STALLED = 'event_loop.stalled';
/** Up-down counter, {thread}. Live worker threads. By thread name. */
export const METRIC_EVENT_LOOP_THREADS = 'event_loop.threads';
/**
 * Gauge, 1. Share of the time in which the event loop was not idle: the mean of all threads with this name. From 0 to
 * 1.
 */
export const METRIC_EVENT_LOOP_UTILIZATION = 'event_loop.utilization';
/** Gauge, s. How long the longest idle thread with this name has been idle. */
export const METRIC_EVENT_LOOP_THREAD_IDLE_AGE = 'event_loop.thread.idle_age';
/**
 * Histogram, s. How long a task waits for a thread of libuv's pool, whenever it arrives. A pool that is full for 3 s
 * weighs 3 s, not one sample.
 */
export const METRIC_LIBUV_THREAD_POOL_QUEUE_WAIT = 'libuv.thread_pool.queue_wait';
/**
 * Gauge, 1. Share of the threads of the pool that work: the mean since the last collection. From 0 to 1. Linux only.
 */
export const METRIC_LIBUV_THREAD_POOL_BUSY = 'libuv.thread_pool.busy';

/** Value of `code.function.name` on metrics for all culprits that are not among the busiest. */
export const OTHER_CULPRITS = 'other';
