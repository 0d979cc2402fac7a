import { Reflect } from './contract/built-ins.js';

type Constructor = abstract new (...values: never[]) => object;

/** The class with its methods, and for `instanceof`, whose objects only the constructor of its own base class makes. */
export function withoutConstructor(base: Constructor): Constructor {
  function Base(...values: unknown[]): unknown {
    return Reflect.construct(Reflect.getPrototypeOf(base) as new () => object, values, new.target as () => unknown);
  }
  Base.prototype = base.prototype as object;
  return Base as unknown as Constructor;
}
