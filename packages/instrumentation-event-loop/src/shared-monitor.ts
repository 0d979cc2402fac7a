import { ThreadMonitor, type Subscriber } from './thread-monitor.js';

/** Bump it when `Subscriber` or `Block` change: copies of the package that differ in it stand aside. */
const PROTOCOL = 1;
const MONITOR_SYMBOL = Symbol.for('loopwatch.monitor');

interface SharedMonitor {
  readonly protocol: number;
  readonly monitor: ThreadMonitor;
}

let ownMonitor: SharedMonitor | undefined;

/**
 * Subscribes to the thread's monitor, which all instrumentations of a thread share, whichever copy of the package (another
 * format, another version) has made it. Returns what unsubscribes.
 */
export function joinThreadMonitor(subscriber: Subscriber, captureContext: () => unknown): () => void {
  let shared = findMonitor();
  if (shared && shared.protocol !== PROTOCOL) {
    subscriber.onProblem(
      'Another version of @loopwatch/instrumentation-event-loop watches this thread already: this one stands aside. ' +
        'Install one version.',
    );
    return () => undefined;
  }
  shared ??= publish({ protocol: PROTOCOL, monitor: new ThreadMonitor(captureContext) });
  const { monitor } = shared;
  monitor.subscribe(subscriber);
  return () => {
    monitor.unsubscribe(subscriber);
    if (!monitor.isIdle) return;
    monitor.close();
    if (ownMonitor?.monitor === monitor) ownMonitor = undefined;
    if (findMonitor()?.monitor === monitor) Reflect.deleteProperty(globalThis, MONITOR_SYMBOL);
  };
}

export function flushThreadMonitor(): void {
  findMonitor()?.monitor.flush();
}

function findMonitor(): SharedMonitor | undefined {
  return (Reflect.get(globalThis, MONITOR_SYMBOL) as SharedMonitor | undefined) ?? ownMonitor;
}

function publish(shared: SharedMonitor): SharedMonitor {
  ownMonitor = shared;
  // On a frozen `globalThis` it stays with this copy.
  Reflect.defineProperty(globalThis, MONITOR_SYMBOL, { value: shared, configurable: true, enumerable: false });
  return shared;
}
