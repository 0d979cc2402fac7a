import type { ContextReader } from '../contract/context-reader.js';
import { canUnrefTimers } from '../contract/unref.js';
import { mainGlobal } from '../probe/main-global.js';
import { reserveProbeKey } from '../probe/probe-key.js';
import { PROTOCOL, shared, type SharedThread } from './shared-thread.js';
import type { Subscriber } from './subscribers.js';
import { ThreadMonitor } from './thread-monitor.js';

/** On the main realm's global object: the `SharedThread` of the realm that monitors the thread. */
const MONITORED_SYMBOL = Symbol.for('loopwatch.watching');

/** Subscribes to the thread's monitor, which the first subscriber creates. Returns a function that unsubscribes. */
export function joinThreadMonitor(subscriber: Subscriber, contexts: ContextReader): () => void {
  if (shared.protocol !== PROTOCOL) {
    subscriber.onProblem(
      'Another version of @loopwatch/instrumentation-event-loop already monitors this thread: this version does not ' +
        'start. Install only one version.',
    );
    return () => undefined;
  }
  if (!canUnrefTimers) {
    subscriber.onProblem(
      'Expected the timers of Node.js, got some whose `unref` has been replaced: they would keep the process alive, so ' +
        'this thread is not monitored. Load @loopwatch/instrumentation-event-loop before what replaces it.',
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
    const main = mainGlobal();
    if (Reflect.get(main, MONITORED_SYMBOL) === shared) Reflect.deleteProperty(main, MONITORED_SYMBOL);
  };
}

/**
 * Makes this realm the only one that monitors the thread. Jest runs many test files in one thread, each in a realm of
 * its own, and does not disable the instrumentation at the end of a file. Without this, every realm would continue to
 * monitor, report each later block once more, and keep its modules in memory.
 */
function takeOver(contexts: ContextReader): ThreadMonitor {
  const main = mainGlobal();
  const monitored = Reflect.get(main, MONITORED_SYMBOL) as SharedThread | undefined;
  if (monitored && monitored !== shared && monitored.protocol === PROTOCOL) {
    monitored.monitor?.close();
    monitored.monitor = undefined;
  }
  reserveProbeKey(main);
  Reflect.defineProperty(main, MONITORED_SYMBOL, { value: shared, configurable: true, enumerable: false });
  return new ThreadMonitor(contexts);
}
