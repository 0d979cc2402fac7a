import process from 'node:process';
import { MessagePort } from 'node:worker_threads';
import { Reflect } from './built-ins.js';

type Method = (this: object, ...args: never[]) => unknown;

interface Original {
  readonly target: object;
  readonly name: string;
  readonly descriptor: PropertyDescriptor | undefined;
}

// Taken when the module loads, before the application replaces them. Node calls them when it makes a `Worker` or a
// `BroadcastChannel`.
const unref = originalOf(MessagePort.prototype, 'unref');
const originals: readonly Original[] = [
  originalOf(EventTarget.prototype, 'addEventListener'),
  originalOf(MessagePort.prototype, 'ref'),
  unref,
  originalOf(process, 'nextTick'),
];

const unrefPort = unref.descriptor?.value as Method | undefined;

/**
 * Whether a `MessagePort` can be made not to keep the process alive: false where the application has replaced the native
 * method before this module has loaded.
 */
export const canUnrefPorts = typeof unrefPort === 'function' && isNative(unrefPort);

/**
 * Calls a function while these methods of Node are the original ones. A patch of the application, such as that of
 * `zone.js`, would also get the listeners that Node adds to the ports of a new `Worker`; `zone.js` throws at their first
 * event, which ends the process. One that throws at once would leave a thread that runs, keeps the process alive, and has
 * no object; so would another `unref`.
 */
export function withOriginalMethods<T>(run: () => T): T {
  return withOriginalsFrom(0, run);
}

function withOriginalsFrom<T>(index: number, run: () => T): T {
  const original = originals[index];
  if (original === undefined) return run();
  const { target, name, descriptor } = original;
  const patched = Reflect.getOwnPropertyDescriptor(target, name);
  const isReplaced = descriptor !== undefined && patched !== undefined && patched.value !== descriptor.value;
  if (!isReplaced || !Reflect.defineProperty(target, name, descriptor)) return withOriginalsFrom(index + 1, run);
  try {
    return withOriginalsFrom(index + 1, run);
  } finally {
    Reflect.defineProperty(target, name, patched);
  }
}

/** Makes a port of Node not keep the process alive, whatever the application has made of its methods. */
export function unrefMessagePort(port: object): void {
  if (unrefPort) Reflect.apply(unrefPort, port, []);
}

function originalOf(target: object, name: string): Original {
  return { target, name, descriptor: Reflect.getOwnPropertyDescriptor(target, name) };
}

function isNative(method: Method): boolean {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the method as its `this`
  return Reflect.apply(Function.prototype.toString, method, []).includes('[native code]');
}
