/*
 * Every function of the preload that Node.js or the program calls goes through here: what it throws is dropped, because
 * rethrown it would end the program. Nothing here looks up a built-in when it is called, so the guard cannot throw itself.
 * The instrumentation, which this bundle contains, has the same for its own (`contract/guard.ts` there), which also counts.
 */

/** The callback without its errors: it returns undefined where it would throw. */
export function guarded<A extends [unknown?, unknown?, unknown?], R>(
  callback: (...args: A) => R,
): (...args: A) => R | undefined {
  const unguarded = callback as (a?: unknown, b?: unknown, c?: unknown) => R;
  return (a?: unknown, b?: unknown, c?: unknown): R | undefined => {
    try {
      return unguarded(a, b, c);
    } catch {
      return undefined;
    }
  };
}

/** Calls now what must not throw into its caller. */
export function attempt<T>(callback: () => T): T | undefined {
  try {
    return callback();
  } catch {
    return undefined;
  }
}

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
