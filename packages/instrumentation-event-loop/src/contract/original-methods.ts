import process from 'node:process';
import { MessagePort } from 'node:worker_threads';
import { Reflect } from './built-ins.js';

type Method = (this: object, ...args: never[]) => unknown;

interface Original {
  readonly target: object;
  readonly name: PropertyKey;
  readonly descriptor: PropertyDescriptor;
}

/*
 * Taken when the module loads, before the application replaces them: `process.nextTick`, and what a `MessagePort` has of its
 * own and from `EventTarget`. Node calls them when it makes a `Worker` or a `BroadcastChannel`.
 */
const originals: Original[] = [];
addOriginal(process, 'nextTick');
for (let target: object | null = MessagePort.prototype; target && target !== Object.prototype;) {
  for (const name of Reflect.ownKeys(target)) if (name !== 'constructor') addOriginal(target, name);
  target = Reflect.getPrototypeOf(target);
}

// eslint-disable-next-line @typescript-eslint/unbound-method -- called with the port as its `this`
const unrefPort: unknown = MessagePort.prototype.unref;

/**
 * Whether a `MessagePort` can be made not to keep the process alive: false where the application has replaced the native
 * method before this module has loaded.
 */
export const canUnrefPorts = typeof unrefPort === 'function' && isNative(unrefPort as Method);

/**
 * Calls a function while these methods of Node are the original ones. A patch of the application, such as that of
 * `zone.js`, would also get the listeners that Node adds to the ports of a new `Worker`; `zone.js` throws at their first
 * event, which ends the process. One that throws at once would leave a thread that runs, keeps the process alive, and has
 * no object; so would another `unref`.
 */
export function withOriginalMethods<T>(run: () => T): T {
  const patches: Original[] = [];
  for (let i = 0; i < originals.length; i++) {
    const { target, name, descriptor } = originals[i]!;
    const patched = Reflect.getOwnPropertyDescriptor(target, name);
    if (patched === undefined || patched.value === descriptor.value) continue;
    if (Reflect.defineProperty(target, name, descriptor)) append(patches, { target, name, descriptor: patched });
  }
  try {
    return run();
  } finally {
    for (let i = 0; i < patches.length; i++) {
      const { target, name, descriptor } = patches[i]!;
      Reflect.defineProperty(target, name, descriptor);
    }
  }
}

/**
 * As `withOriginalMethods`, where each port that Node makes meanwhile also gets these methods as its own: Node calls some by
 * name in callbacks of its own, when the port gets a message and when it is closed. Node calls `unref` of each new port.
 */
export function withOwnPorts<T>(run: () => T): T {
  return withOriginalMethods(() => {
    const prototype: object = MessagePort.prototype;
    const original = Reflect.getOwnPropertyDescriptor(prototype, 'unref');
    const unref = function (this: object): void {
      for (let i = 0; i < originals.length; i++) {
        const { target, name, descriptor } = originals[i]!;
        if (target !== process) Reflect.defineProperty(this, name, descriptor);
      }
      unrefMessagePort(this);
    };
    if (!original || !Reflect.defineProperty(prototype, 'unref', { ...original, value: unref })) return run();
    try {
      return run();
    } finally {
      Reflect.defineProperty(prototype, 'unref', original);
    }
  });
}

/** Makes a port of Node not keep the process alive, whatever the application has made of its methods. */
export function unrefMessagePort(port: object): void {
  if (typeof unrefPort === 'function') Reflect.apply(unrefPort as Method, port, []);
}

function addOriginal(target: object, name: PropertyKey): void {
  const descriptor = Reflect.getOwnPropertyDescriptor(target, name);
  if (descriptor?.configurable && typeof descriptor.value === 'function')
    append(originals, { target, name, descriptor });
}

/** Without a setter that the application has defined for an index. */
function append(list: Original[], item: Original): void {
  Reflect.defineProperty(list, list.length, { value: item, enumerable: true, configurable: true, writable: true });
}

function isNative(method: Method): boolean {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the method as its `this`
  return Reflect.apply(Function.prototype.toString, method, []).includes('[native code]');
}
