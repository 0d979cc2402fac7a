/** By this mark the instrumentation knows listeners on `process` that are not the program's (its `own-listeners.ts`). */
const OWN_LISTENER = Symbol.for('loopwatch.listener');

export function ownListener<T extends object>(listener: T): T {
  Reflect.defineProperty(listener, OWN_LISTENER, { value: true });
  return listener;
}
