import { Reflect } from './built-ins.js';

type Constructor = abstract new (...values: never[]) => object;

/** A class with the prototype of this one, and so its methods and `instanceof`, with the constructor of the class above it. */
export function withoutConstructor(base: Constructor): Constructor {
  function Base(...values: unknown[]): unknown {
    return Reflect.construct(Reflect.getPrototypeOf(base) as new () => object, values, new.target as () => unknown);
  }
  Base.prototype = base.prototype as object;
  return Base as unknown as Constructor;
}
