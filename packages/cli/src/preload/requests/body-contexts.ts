import { Map, Object, Reflect } from '../built-ins.js';

/** Getters of `push`, by the prototype of requests or streams that has it. */
const getters = new Map<object, () => unknown>();
let lastPrototype: object | null = null;

/**
 * Calls `onPush`, which must not throw, each time that Node.js adds a part of its body to the stream, or to another one of its class, just
 * before listeners of the program run. It is called by a getter of `push`, which returns the original function: a
 * function around that one would be on the stacks of the program's errors.
 */
export function watchBodies(stream: object | undefined, onPush: () => void): void {
  const prototype = stream ? Object.getPrototypeOf(stream) : null;
  if (prototype === null || prototype === lastPrototype) return;
  lastPrototype = prototype;
  if (getters.has(prototype) || Object.hasOwn(prototype, 'push')) return;
  const get = function (this: object): unknown {
    onPush();
    return Reflect.get(Object.getPrototypeOf(prototype)!, 'push', this);
  };
  const set = function (this: object, value: unknown): void {
    Reflect.defineProperty(this, 'push', { value, configurable: true, enumerable: true, writable: true });
  };
  // Not of a class that the program has frozen: its requests have their names without what their bodies start.
  if (Reflect.defineProperty(prototype, 'push', { configurable: true, get, set })) getters.set(prototype, get);
}

/** A method that the program has put in the place of the getter stays. */
export function stopWatchingBodies(): void {
  getters.forEach((get, prototype) => {
    if (Object.getOwnPropertyDescriptor(prototype, 'push')?.get === get) Reflect.deleteProperty(prototype, 'push');
  });
  getters.clear();
  lastPrototype = null;
}
