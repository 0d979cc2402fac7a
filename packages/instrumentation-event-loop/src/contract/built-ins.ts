/*
 * Built-ins as they are when the package loads, under their own names. A module that runs in the application's thread
 * imports them from here: what the application replaces later neither breaks that module nor sees its calls.
 * The deferred code uses the application's own: it gives objects to the application. What throws there loses a block.
 *
 * Only what is used is listed, so that the compiler refuses the rest. Methods of arrays and `for…of` over them have no
 * copy: both can be replaced, so these modules count indices.
 */
import { types } from 'node:util';
import { Worker } from 'node:worker_threads';

const {
  apply,
  construct,
  defineProperty,
  deleteProperty,
  get,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  has,
  ownKeys,
  set,
  setPrototypeOf,
} = globalThis.Reflect;
export const Reflect = {
  apply,
  construct,
  defineProperty,
  deleteProperty,
  get,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  has,
  ownKeys,
  set,
  setPrototypeOf,
};

const { create, freeze, getOwnPropertySymbols, keys } = globalThis.Object;
export const Object = { create, freeze, getOwnPropertyDescriptor, getOwnPropertySymbols, keys };

const { abs, max, min, round } = globalThis.Math;
export const Math = { abs, max, min, round };

const { isFinite, isInteger } = globalThis.Number;
export const Number = { isFinite, isInteger };

const { add, compareExchange, exchange, load, notify, store, wait } = globalThis.Atomics;
export const Atomics = { add, compareExchange, exchange, load, notify, store, wait };

export const { isNativeError, isSharedArrayBuffer } = types as {
  /** Also of an error of another realm; `Error.isError` does not exist in Node.js 20 and 22. */
  isNativeError: (value: unknown) => value is Error;
  isSharedArrayBuffer: (value: unknown) => value is SharedArrayBuffer;
};

type Method<This, Args extends unknown[], Result> = (this: This, ...args: Args) => Result;
// eslint-disable-next-line @typescript-eslint/unbound-method -- bound below
const { bind, call } = Function.prototype;
/** The method as a function that takes `this` as its first argument. */
export const uncurryThis = bind.bind(call) as unknown as <This, Args extends unknown[], Result>(
  method: Method<This, Args, Result>,
) => (self: This, ...args: Args) => Result;

/* eslint-disable @typescript-eslint/unbound-method -- `uncurryThis` gives them their `this` */
const { indexOf, slice, split } = String.prototype;
export const stringIndexOf = uncurryThis(indexOf as Method<string, [string, number?], number>);
export const stringSlice = uncurryThis(slice as Method<string, [number, number?], string>);
export const stringSplit = uncurryThis(split as Method<string, [string, number?], string[]>);
/** `then` of promises that the application or Node.js has made. */
export const promiseThen = uncurryThis(
  globalThis.Promise.prototype.then as Method<
    Promise<unknown>,
    [((value: unknown) => unknown) | undefined, ((error: unknown) => unknown)?],
    Promise<unknown>
  >,
);
/* eslint-enable @typescript-eslint/unbound-method */

/** A subclass with methods of its own, which nothing else reaches. Its instances are iterated with `forEach`. */
function detached<T extends abstract new (...args: never) => object>(base: T, inherited?: object): T {
  // @ts-expect-error -- TypeScript wants the constructor of a mixin to take `any[]`
  const copy = class extends base {};
  if (inherited) copyProperties(inherited, copy.prototype as object);
  copyProperties(base.prototype as object, copy.prototype as object);
  Reflect.setPrototypeOf(copy.prototype as object, null);
  return copy;
}

function copyProperties(from: object, to: object): void {
  const names = ownKeys(from);
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    if (name !== 'constructor') defineProperty(to, name, getOwnPropertyDescriptor(from, name)!);
  }
}

export const Map = detached(globalThis.Map);
export type Map<K, V> = globalThis.Map<K, V>;
export const Set = detached(globalThis.Set);
export type Set<T> = globalThis.Set<T>;
export const WeakMap = detached(globalThis.WeakMap);
export type WeakMap<K extends WeakKey, V> = globalThis.WeakMap<K, V>;
export const WeakSet = detached(globalThis.WeakSet);
export type WeakSet<T extends WeakKey> = globalThis.WeakSet<T>;

/**
 * `Worker` with methods of its own, those of its base classes among them: Node.js calls them by name and by symbol when
 * a worker starts, sends and ends, in callbacks of its own.
 */
export const OwnWorker = detached(Worker, getPrototypeOf(Worker.prototype)!);
