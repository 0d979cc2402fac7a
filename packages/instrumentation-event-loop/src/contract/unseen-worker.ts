import { channel } from 'node:diagnostics_channel';
import process from 'node:process';
import { Reflect, stringIndexOf } from './built-ins.js';

// eslint-disable-next-line @typescript-eslint/unbound-method -- called by `Reflect.apply`
const textOf = Function.prototype.toString;
/** Node's callback in the constructor of `Worker`, which tells the listeners of `process` of the new one. */
const EMITS_WORKER = "emit('worker'";
const workers = channel('worker_threads');

/**
 * Calls a function that makes a `Worker` of our own, of which the application hears nothing: neither its listeners for
 * `worker` of `process` nor the subscribers of Node's channel.
 */
export function withUnseenWorkers<T>(make: () => T): T {
  const nextTick = Reflect.getOwnPropertyDescriptor(process, 'nextTick');
  const original: unknown = nextTick?.value;
  if (typeof original !== 'function') return make();
  const value = function (this: unknown, ...args: unknown[]): void {
    if (!emitsWorker(args[0])) Reflect.apply(original, process, args);
  };
  const isReplaced = Reflect.defineProperty(process, 'nextTick', { ...nextTick, value });
  const isHidden = Reflect.defineProperty(workers, 'hasSubscribers', { value: false, configurable: true });
  try {
    return make();
  } finally {
    if (isReplaced) Reflect.defineProperty(process, 'nextTick', nextTick!);
    if (isHidden) Reflect.deleteProperty(workers, 'hasSubscribers');
  }
}

function emitsWorker(callback: unknown): boolean {
  return typeof callback === 'function' && stringIndexOf(Reflect.apply(textOf, callback, []), EMITS_WORKER) >= 0;
}
