import process from 'node:process';
import { Reflect, uncurryThis } from './built-ins.js';
import { attempt, guarded, OWN_LISTENER } from './guard.js';

/** Set while a copy of this package in this thread leaves them uncounted. */
const UNCOUNTED = Symbol.for('loopwatch.uncountedListeners');
/** Where Node.js keeps a limit that the application has set; its absence stands for the default of all emitters. */
const LIMIT_PROPERTY = '_maxListeners';

// Taken when the module loads: fake timers in the application's tests, for example, replace `nextTick`.
const nextTick = process.nextTick.bind(process);
/* eslint-disable @typescript-eslint/unbound-method -- `uncurryThis` gives them their `this` */
type ChangeListeners = (this: NodeJS.Process, event: string | symbol, listener: unknown) => unknown;
const on = uncurryThis(process.on as ChangeListeners);
const off = uncurryThis(process.off as ChangeListeners);
const prepend = uncurryThis(process.prependListener as ChangeListeners);
const listenersOf = uncurryThis(process.listeners as (this: NodeJS.Process, event: unknown) => readonly unknown[]);
const countOf = uncurryThis(process.listenerCount);
const limitOf = uncurryThis(process.getMaxListeners);
/* eslint-enable @typescript-eslint/unbound-method */

/**
 * Has `process` call the listener, guarded and marked as one of ours. Returns a function that ends this. Both use the
 * methods that `process` had when this package was loaded, and do not throw: on a frozen `process`, nothing is added.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- inferred from the listener
export function listenToProcess<A, B>(event: string, listener: (a: A, b: B) => void): () => void {
  const own = ownListener(listener);
  addToProcess(event, own);
  return () => {
    attempt(() => off(process, event, own));
    // It does not come back, either.
    Reflect.deleteProperty(own, OWN_LISTENER);
  };
}

export function addToProcess(event: string, own: (a: never, b: never) => void): void {
  attempt(() => on(process, event, own));
}

/** The listener of ours in its guard, marked. */
export function ownListener<A, B>(listener: (a: A, b: B) => void): (a: A, b: B) => void {
  const own = guarded(listener);
  Reflect.defineProperty(own, OWN_LISTENER, { value: true, configurable: true });
  return own;
}

export function processListeners(event: string): readonly unknown[] {
  return listenersOf(process, event);
}

export function processListenerCount(event: string): number {
  return countOf(process, event);
}

/**
 * Node.js warns on stderr of the eleventh listener of an event, with their number and the limit. Own listeners are neither
 * the reason nor counted. While a listener is added that only exceeds the limit together with ours, the limit is higher.
 * Of the application's eleventh, Node.js warns while ours are not there, until the next tick. Returns a function that ends
 * this.
 */
export function leaveOwnListenersUncounted(): () => void {
  if (Reflect.has(process, UNCOUNTED)) return () => undefined;
  let raised: { readonly limit: number; readonly before: unknown } | undefined;
  const restore = guarded((): void => {
    // The application may have set another limit meanwhile.
    if (raised?.limit === limitOf(process)) Reflect.set(process, LIMIT_PROPERTY, raised.before);
    raised = undefined;
  });
  const stop = listenToProcess('newListener', (event: string | symbol, added: unknown): void => {
    restore();
    const limit = limitOf(process);
    const listeners = listenersOf(process, event);
    if (listeners.length < limit || limit === 0) return;
    const own: unknown[] = [];
    for (let i = 0; i < listeners.length; i++) if (isOwnListener(listeners[i])) own[own.length] = listeners[i];
    if (!isOwnListener(added)) {
      if (own.length === 0) return;
      if (listeners.length - own.length >= limit) {
        leaveUntilNextTick(event, own);
        return;
      }
    }
    raised = { limit: listeners.length + 1, before: Reflect.get(process, LIMIT_PROPERTY) };
    Reflect.set(process, LIMIT_PROPERTY, raised.limit);
    nextTick(restore);
  });
  Reflect.defineProperty(process, UNCOUNTED, { value: true, configurable: true });
  return () => {
    restore();
    stop();
    Reflect.deleteProperty(process, UNCOUNTED);
  };
}

/** They come back in front of those of the application. */
function leaveUntilNextTick(event: string | symbol, own: readonly unknown[]): void {
  for (let i = 0; i < own.length; i++) off(process, event, own[i]);
  nextTick(
    guarded(() => {
      for (let i = own.length - 1; i >= 0; i--) if (isOwnListener(own[i])) prepend(process, event, own[i]);
    }),
  );
}

export function isOwnListener(listener: unknown): boolean {
  return typeof listener === 'function' && Reflect.get(listener, OWN_LISTENER) === true;
}
