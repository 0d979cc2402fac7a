import { Reflect } from './built-ins.js';
import { attempt } from './guard.js';

type AnyFunction = (this: never, ...args: never[]) => unknown;

/** What a program can see of a function besides its calls. */
const SHAPE = ['name', 'length'] as const;

/**
 * Puts a wrapper in the place of a function, with its name and number of parameters, which a minifier or rest parameters
 * would change. Returns a function that removes the wrapper, unless other code has wrapped it meanwhile. On a frozen
 * object, nothing is replaced.
 */
export function wrapFunction<T extends AnyFunction>(
  target: object,
  name: string,
  wrap: (original: T) => T,
): () => void {
  const original: unknown = Reflect.get(target, name);
  if (typeof original !== 'function') return () => undefined;
  const wrapper = wrap(original as T);
  for (let i = 0; i < SHAPE.length; i++) {
    const key = SHAPE[i]!;
    attempt(() => {
      const property = Reflect.getOwnPropertyDescriptor(original, key);
      if (property) Reflect.defineProperty(wrapper, key, property);
    });
  }
  Reflect.set(target, name, wrapper);
  return () => {
    if (Reflect.get(target, name) === wrapper) Reflect.set(target, name, original);
  };
}
