import process from 'node:process';

type Listener = (...args: never[]) => void;

/** Marks listeners of this package and of `loopwatch run`, which embeds it: all copies know each other's. */
const OWN_LISTENER = Symbol.for('loopwatch.listener');
/** Set on `process` by the copy of the package that adjusts the limit. */
const UNCOUNTED = Symbol.for('loopwatch.uncountedListeners');
/** Where Node.js keeps the limit that `setMaxListeners` sets; undefined means the default of all emitters. */
const LIMIT_PROPERTY = '_maxListeners';

// Taken when the module loads, so that fake timers in the application's tests do not replace it.
const nextTick = process.nextTick.bind(process);

/** Marks a listener on `process` as one of ours. */
export function ownListener<T extends Listener>(listener: T): T {
  Reflect.defineProperty(listener, OWN_LISTENER, { value: true });
  return listener;
}

/**
 * Node.js warns on stderr of the eleventh listener of an event. Own listeners must not be the reason: while one is added
 * that only exceeds the limit together with ours, the limit is higher by our number. Returns a function that ends this.
 */
export function leaveOwnListenersUncounted(): () => void {
  if (Reflect.has(process, UNCOUNTED)) return () => undefined;
  let raised: { readonly limit: number; readonly before: unknown } | undefined;
  const restore = (): void => {
    // The application may have set another limit meanwhile.
    if (raised?.limit === process.getMaxListeners()) Reflect.set(process, LIMIT_PROPERTY, raised.before);
    raised = undefined;
  };
  const onNewListener = ownListener((event: string | symbol, added: unknown): void => {
    try {
      restore();
      const limit = process.getMaxListeners();
      const listeners = process.listeners(event as NodeJS.Signals);
      if (listeners.length < limit || limit === 0) return;
      const ownCount = [...listeners, added].filter((listener) => isOwn(listener)).length;
      if (ownCount === 0) return;
      raised = { limit: limit + ownCount, before: Reflect.get(process, LIMIT_PROPERTY) };
      process.setMaxListeners(raised.limit);
      nextTick(restore);
    } catch {
      // The application has replaced a method of `process`: at worst there is a warning.
    }
  });
  Reflect.defineProperty(process, UNCOUNTED, { value: true, configurable: true });
  process.on('newListener', onNewListener);
  return () => {
    restore();
    process.off('newListener', onNewListener);
    Reflect.deleteProperty(process, UNCOUNTED);
  };
}

function isOwn(listener: unknown): boolean {
  return typeof listener === 'function' && Reflect.get(listener, OWN_LISTENER) === true;
}
