import process from 'node:process';
import { Reflect } from '../contract/built-ins.js';

/** Ends of a process without an `exit` event. `process.exit()` calls `reallyExit`, too, after that event. */
const ABRUPT_ENDS = ['abort', 'reallyExit'] as const;

/**
 * Wraps the functions that end the process at once so that they call `onEnd` first, which must not throw. Returns a
 * function that removes the wrappers.
 */
export function prepareAbruptEnds(onEnd: () => void): () => void {
  const removers = ABRUPT_ENDS.map((name) => {
    const original: unknown = Reflect.get(process, name);
    if (typeof original !== 'function') return () => undefined;
    const wrapper = {
      [name](this: unknown, ...args: unknown[]): unknown {
        onEnd();
        return Reflect.apply(original, this, args);
      },
    }[name];
    Reflect.set(process, name, wrapper);
    return () => {
      if (Reflect.get(process, name) === wrapper) Reflect.set(process, name, original);
    };
  });
  return () => {
    for (let i = 0; i < removers.length; i++) removers[i]!();
  };
}
