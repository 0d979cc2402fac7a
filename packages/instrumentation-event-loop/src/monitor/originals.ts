import process from 'node:process';
import { addEventListener, eventTarget, processNextTick } from '../contract/built-ins.js';

/**
 * Calls a function while `EventTarget` has its original `addEventListener`, and `process` its `nextTick`: Node.js calls
 * both to create a `Worker`. A patch of the application, such as that of `zone.js`, would also get the listeners that Node
 * adds to the ports of the worker; `zone.js` throws at their first event, which ends the process. One that throws at once
 * would leave a thread that runs, keeps the process alive, and has no object.
 */
export function withOriginals<T>(run: () => T): T {
  return withOriginal(eventTarget, 'addEventListener', addEventListener, () =>
    withOriginal(process, 'nextTick', processNextTick, run),
  );
}

function withOriginal<T>(object: object, key: string, original: PropertyDescriptor | undefined, run: () => T): T {
  const patched = Reflect.getOwnPropertyDescriptor(object, key);
  if (!original || !patched || patched.value === original.value) return run();
  const isRestored = Reflect.defineProperty(object, key, original);
  try {
    return run();
  } finally {
    if (isRestored) Reflect.defineProperty(object, key, patched);
  }
}
