import type { ThreadGroup } from './detection/worker-threads.js';
import type { Owner, Subscriber } from './subscriber.js';
import { ThreadMonitor } from './thread-monitor.js';

/** Bump it when what is shared changes: copies of the package that differ in it stand aside. */
const PROTOCOL = 1;
const SHARED_SYMBOL = Symbol.for('loopwatch.thread');

/** What all copies of the package in one thread share: other formats, other versions. */
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
  const monitor = (shared.monitor ??= new ThreadMonitor(captureContext));
  monitor.subscribe(subscriber);
  return () => {
    monitor.unsubscribe(subscriber);
    if (!monitor.isIdle) return;
    monitor.close();
    if (shared.monitor === monitor) shared.monitor = undefined;
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
export function chargeUnjudged(owner: Owner, now: number): void {
  shared.monitor?.chargeUnjudged(owner, now);
}

function findOrPublish(): SharedThread {
  const found = Reflect.get(globalThis, SHARED_SYMBOL) as SharedThread | undefined;
  if (found) return found;
  const made: SharedThread = { protocol: PROTOCOL, monitor: undefined };
  // On a frozen `globalThis` it stays with this copy.
  Reflect.defineProperty(globalThis, SHARED_SYMBOL, { value: made, configurable: true, enumerable: false });
  return made;
}
