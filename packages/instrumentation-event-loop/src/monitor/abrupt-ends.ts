import process from 'node:process';
import { Reflect } from '../contract/built-ins.js';
import { wrapFunction } from '../contract/wrap-function.js';

/** Ends of a process without an `exit` event. `process.exit()` calls `reallyExit`, too, after that event. */
const ABRUPT_ENDS = ['abort', 'reallyExit'] as const;

/**
 * Wraps the functions that end the process at once so that they call `onEnd` first, which must not throw. Returns a
 * function that removes the wrappers.
 */
export function prepareAbruptEnds(onEnd: () => void): () => void {
  const removers = ABRUPT_ENDS.map((name) =>
    wrapFunction<(this: unknown, ...args: unknown[]) => unknown>(
      process,
      name,
      (original) =>
        function (this: unknown, ...args) {
          onEnd();
          return Reflect.apply(original, this, args);
        },
    ),
  );
  return () => {
    for (let i = 0; i < removers.length; i++) removers[i]!();
  };
}
