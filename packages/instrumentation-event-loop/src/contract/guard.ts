/*
 * Every function of this package that Node.js, the SDK or the application calls goes through here: what it throws is
 * dropped and counted, because rethrown it would end the application. Nothing here looks up a built-in when it is
 * called, so the guard itself cannot throw, whatever the application has replaced.
 */

/** Marks listeners on `process` that are not the application's; `loopwatch run` marks its own, too. */
export const OWN_LISTENER = Symbol.for('loopwatch.listener');

type Report = (error: unknown) => void;

let count = 0;
let report: Report | undefined;

/** Errors of this package's callbacks in this thread that were dropped. */
export function droppedErrors(): number {
  return count;
}

/** Has each dropped error reported until the returned function is called; what `listener` throws is ignored. */
export function onDroppedError(listener: Report): () => void {
  report = listener;
  return () => {
    if (report === listener) report = undefined;
  };
}

/** Drops an error of a callback that guards itself. */
export function drop(error: unknown): void {
  count++;
  try {
    report?.(error);
  } catch {
    // The application's logger has thrown, and there is no other place to report to.
  }
}

/** The callback without its errors: it returns undefined where it would throw. Node.js gives a callback three arguments at most. */
export function guarded<A extends [unknown?, unknown?, unknown?], R>(
  callback: (...args: A) => R,
): (...args: A) => R | undefined {
  const unguarded = callback as (a?: unknown, b?: unknown, c?: unknown) => R;
  return (a?: unknown, b?: unknown, c?: unknown): R | undefined => {
    try {
      return unguarded(a, b, c);
    } catch (error) {
      drop(error);
      return undefined;
    }
  };
}

/** Calls now what must not throw into its caller. */
export function attempt<T>(callback: () => T): T | undefined {
  try {
    return callback();
  } catch (error) {
    drop(error);
    return undefined;
  }
}
