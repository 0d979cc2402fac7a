import { guarded } from './guard.js';

/** By this mark the instrumentation knows listeners on `process` that are not the program's (its `own-listeners.ts`). */
const OWN_LISTENER = Symbol.for('loopwatch.listener');

/** The listener in its guard, marked. */
export function ownListener<A extends [unknown?, unknown?, unknown?]>(
  listener: (...args: A) => void,
): (...args: A) => void {
  const own = guarded(listener);
  Reflect.defineProperty(own, OWN_LISTENER, { value: true });
  return own;
}
