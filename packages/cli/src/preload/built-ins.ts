/*
 * Built-ins as they are when the preload runs, before the program: what the program replaces later neither breaks this
 * code nor sees its calls. The instrumentation has more of them, with the reasons (`contract/built-ins.ts` there).
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const { apply, defineProperty, deleteProperty, get, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } =
  globalThis.Reflect;
export const Reflect = { apply, defineProperty, deleteProperty, get, getOwnPropertyDescriptor, getPrototypeOf };

const { create, getOwnPropertySymbols, hasOwn, setPrototypeOf } = globalThis.Object;
export const Object = { create, getOwnPropertyDescriptor, getOwnPropertySymbols, getPrototypeOf, hasOwn };

const { abs, max, min, round } = globalThis.Math;
export const Math = { abs, max, min, round };

const { isArray } = globalThis.Array;
export const Array = { isArray };

// eslint-disable-next-line @typescript-eslint/unbound-method -- it does not use its `this`
export const { now: epochNow } = globalThis.Date;
export const { stringify } = globalThis.JSON;

type Method<This, Args extends unknown[], Result> = (this: This, ...args: Args) => Result;
// eslint-disable-next-line @typescript-eslint/unbound-method -- bound below
const { bind, call } = Function.prototype;
/** The method as a function that takes `this` as its first argument. */
export const uncurryThis = bind.bind(call) as unknown as <This, Args extends unknown[], Result>(
  method: Method<This, Args, Result>,
) => (self: This, ...args: Args) => Result;

/** A subclass with methods of its own, which the program does not reach. Its instances are iterated with `forEach`. */
function detached<T extends abstract new (...args: never) => object>(base: T): T {
  // @ts-expect-error -- TypeScript wants the constructor of a mixin to take `any[]`
  const copy = class extends base {};
  const names = ownKeys(base.prototype as object);
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    if (name !== 'constructor')
      defineProperty(copy.prototype as object, name, getOwnPropertyDescriptor(base.prototype as object, name)!);
  }
  setPrototypeOf(copy.prototype as object, null);
  return copy;
}

export const Map = detached(globalThis.Map);
export type Map<K, V> = globalThis.Map<K, V>;
export const WeakMap = detached(globalThis.WeakMap);
export type WeakMap<K extends WeakKey, V> = globalThis.WeakMap<K, V>;
export const WeakRef = detached(globalThis.WeakRef);
export type WeakRef<T extends WeakKey> = globalThis.WeakRef<T>;
export const DetachedStorage = detached(AsyncLocalStorage);
export type DetachedStorage<T> = AsyncLocalStorage<T>;
