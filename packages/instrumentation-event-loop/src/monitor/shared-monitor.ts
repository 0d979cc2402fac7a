import type { ContextReader } from '../contract/context-reader.js';
import type { Interval } from '../contract/interval.js';
import type { TrackedSpan } from '../export/tracked-span.js';
import { mainGlobal } from '../probe/main-global.js';
import type { Subscriber } from './subscribers.js';
import { ThreadMonitor } from './thread-monitor.js';
import type { ThreadGroup } from './worker-threads.js';

/** Increment it when the shared data changes. A copy of the package with another number does not monitor. */
const PROTOCOL = 4;
const SHARED_SYMBOL = Symbol.for('loopwatch.thread');
/** On the main realm's global object: the `SharedThread` of the realm that monitors the thread. */
const MONITORED_SYMBOL = Symbol.for('loopwatch.watching');

/** Shared by all copies of the package in one realm of a thread: CommonJS and ES module copies, and other versions. */
interface SharedThread {
  readonly protocol: number;
  monitor: ThreadMonitor | undefined;
}

const shared = findOrPublish();

/** Subscribes to the thread's monitor, which the first subscriber creates. Returns a function that unsubscribes. */
export function joinThreadMonitor(subscriber: Subscriber, contexts: ContextReader): () => void {
  if (shared.protocol !== PROTOCOL) {
    subscriber.onProblem(
      'Another version of @loopwatch/instrumentation-event-loop already monitors this thread: this version does not ' +
        'start. Install only one version.',
    );
    return () => undefined;
  }
  const monitor = (shared.monitor ??= takeOver(contexts));
  monitor.subscribe(subscriber);
  return () => {
    if (shared.monitor !== monitor) return; // another realm monitors the thread now
    monitor.unsubscribe(subscriber);
    if (monitor.hasSubscribers) return;
    monitor.close();
    shared.monitor = undefined;
  };
}

/** Reports the pending blocks now, and a block that lasts as far as it goes. */
export function flushThreadMonitor(): void {
  shared.monitor?.flushWithCurrent();
}

/** Sends a block of this worker thread to the main thread, which reports it. */
export function relayBlock(message: unknown): void {
  shared.monitor?.relayBlock(message);
}

/** Excludes the time from `start` on, until `excludeSince` says when it has ended. */
export function excludeFrom(start: number): void {
  shared.monitor?.excludeFrom(start);
}

/** Excludes the time since `start`, a `performance.now()` value of this thread, from blocks and lags. */
export function excludeSince(start: number): void {
  shared.monitor?.excludeSince(start);
}

/** Records when the SDK starts that this package has started in this thread. */
export function setSdkStart(interval: Interval): void {
  shared.monitor?.setSdkStart(interval);
}

/** Usage of this thread and of the workers that it has started, since the last call. */
export function threadGroups(): readonly ThreadGroup[] {
  return shared.monitor?.threadGroups() ?? [];
}

/** Attributes the delays of the pending blocks to a span that ends now. */
export function attributePendingDelays(trackedSpan: TrackedSpan, now: number): void {
  shared.monitor?.attributePendingDelays(trackedSpan, now);
}

/**
 * Makes this realm the only one that monitors the thread. Jest runs many test files in one thread, each in a realm of
 * its own, and does not disable the instrumentation at the end of a file. Without this, every realm would continue to
 * monitor, report each later block once more, and keep its modules in memory.
 */
function takeOver(contexts: ContextReader): ThreadMonitor {
  const monitored = Reflect.get(mainGlobal, MONITORED_SYMBOL) as SharedThread | undefined;
  if (monitored && monitored !== shared && monitored.protocol === PROTOCOL) {
    monitored.monitor?.close();
    monitored.monitor = undefined;
  }
  Reflect.defineProperty(mainGlobal, MONITORED_SYMBOL, { value: shared, configurable: true, enumerable: false });
  return new ThreadMonitor(contexts);
}

function findOrPublish(): SharedThread {
  const existing = Reflect.get(globalThis, SHARED_SYMBOL) as SharedThread | undefined;
  if (existing) return existing;
  const created: SharedThread = { protocol: PROTOCOL, monitor: undefined };
  // On a frozen `globalThis` this fails, and each copy of the package has its own.
  Reflect.defineProperty(globalThis, SHARED_SYMBOL, { value: created, configurable: true, enumerable: false });
  return created;
}
