import type { TrackedSpan } from '../export/tracked-span.js';
import { mainGlobal } from '../probe/main-global.js';
import type { Subscriber } from './subscribers.js';
import { ThreadMonitor } from './thread-monitor.js';
import type { ThreadGroup } from './worker-threads.js';

/** Bump it when what is shared changes: copies of the package that differ in it stand aside. */
const PROTOCOL = 1;
const SHARED_SYMBOL = Symbol.for('loopwatch.thread');
/** On the thread's first global object: what is shared by the copies that watch the thread. */
const MONITORED_SYMBOL = Symbol.for('loopwatch.watching');

/** What all copies of the package in one realm of a thread share: other formats, other versions. */
interface SharedThread {
  readonly protocol: number;
  monitor: ThreadMonitor | undefined;
}

const shared = findOrPublish();

/** Subscribes to the thread's monitor, which the first subscriber has made. Returns what unsubscribes. */
export function joinThreadMonitor(subscriber: Subscriber, captureContext: () => unknown): () => void {
  if (shared.protocol !== PROTOCOL) {
    subscriber.onProblem(
      'Another version of @loopwatch/instrumentation-event-loop watches this thread already: this one stands aside. ' +
        'Install one version.',
    );
    return () => undefined;
  }
  const monitor = (shared.monitor ??= takeOver(captureContext));
  monitor.subscribe(subscriber);
  return () => {
    if (shared.monitor !== monitor) return; // another realm has taken over
    monitor.unsubscribe(subscriber);
    if (monitor.hasSubscribers) return;
    monitor.close();
    shared.monitor = undefined;
  };
}

/** Tells at once the blocks that wait for their verdict. */
export function flushThreadMonitor(): void {
  shared.monitor?.flush();
}

/** Has what happened since `start`, on the thread's `performance.now()` time line, count for nothing. */
export function excludeSince(start: number): void {
  shared.monitor?.excludeSince(start);
}

/** What this thread and the workers it has started did since the last call. */
export function threadGroups(): readonly ThreadGroup[] {
  return shared.monitor?.threadGroups() ?? [];
}

/** Charges the blocks that have no verdict yet to a span that ends now. */
export function attributePendingDelays(trackedSpan: TrackedSpan, now: number): void {
  shared.monitor?.attributePendingDelays(trackedSpan, now);
}

/**
 * A thread is watched by one realm, the last that wanted it. Jest runs test file after test file in one thread, each in a
 * realm of its own that nobody tidies up: without this, each would go on watching, report every later block once more,
 * and keep all that it has loaded in memory.
 */
function takeOver(captureContext: () => unknown): ThreadMonitor {
  const monitored = Reflect.get(mainGlobal, MONITORED_SYMBOL) as SharedThread | undefined;
  if (monitored && monitored !== shared && monitored.protocol === PROTOCOL) {
    monitored.monitor?.close();
    monitored.monitor = undefined;
  }
  Reflect.defineProperty(mainGlobal, MONITORED_SYMBOL, { value: shared, configurable: true, enumerable: false });
  return new ThreadMonitor(captureContext);
}

function findOrPublish(): SharedThread {
  const existing = Reflect.get(globalThis, SHARED_SYMBOL) as SharedThread | undefined;
  if (existing) return existing;
  const created: SharedThread = { protocol: PROTOCOL, monitor: undefined };
  // On a frozen `globalThis` it stays with this copy.
  Reflect.defineProperty(globalThis, SHARED_SYMBOL, { value: created, configurable: true, enumerable: false });
  return created;
}
