import { MessagePort } from 'node:worker_threads';

type Method = (this: object, ...args: never[]) => unknown;

interface Original {
  readonly target: object;
  readonly name: string;
  readonly descriptor: PropertyDescriptor | undefined;
}

const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;

// Taken when the module loads, before the application replaces them. Node calls them when it makes a `Worker` or a
// `BroadcastChannel`.
const originals: readonly Original[] = [
  originalOf(EventTarget.prototype, 'addEventListener'),
  originalOf(MessagePort.prototype, 'ref'),
  originalOf(MessagePort.prototype, 'unref'),
];

const unrefPort = originals.at(-1)?.descriptor?.value as Method | undefined;

/**
 * Whether a `MessagePort` can be made not to keep the process alive: false where the application has replaced the native
 * method before this module has loaded.
 */
export const canUnrefPorts = typeof unrefPort === 'function' && isNative(unrefPort);

/**
 * Calls a function while these methods of Node are the original ones. A patch of the application, such as that of
 * `zone.js`, would also get the listeners that Node adds to the ports of a new `Worker`; `zone.js` throws at their first
 * event, which ends the process. With another `unref`, these ports would keep the process alive.
 */
export function withOriginalMethods<T>(run: () => T): T {
  const patches: Original[] = [];
  for (const { target, name, descriptor } of originals) {
    const patched = getOwnPropertyDescriptor(target, name);
    if (!descriptor || !patched || patched.value === descriptor.value) continue;
    if (defineProperty(target, name, descriptor)) patches.push({ target, name, descriptor: patched });
  }
  try {
    return run();
  } finally {
    for (const { target, name, descriptor } of patches) if (descriptor) defineProperty(target, name, descriptor);
  }
}

/** Makes a port of Node not keep the process alive, whatever the application has made of its methods. */
export function unrefMessagePort(port: object): void {
  if (unrefPort) apply(unrefPort, port, []);
}

function originalOf(target: object, name: string): Original {
  return { target, name, descriptor: getOwnPropertyDescriptor(target, name) };
}

function isNative(method: Method): boolean {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the method as its `this`
  return apply(Function.prototype.toString, method, []).includes('[native code]');
}
