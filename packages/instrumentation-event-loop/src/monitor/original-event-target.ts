// Taken when the module loads, before the application patches it.
const original = Object.getOwnPropertyDescriptor(EventTarget.prototype, 'addEventListener');

/**
 * Calls a function while `EventTarget` has its original `addEventListener`. A patch of the application, such as that of
 * `zone.js`, would also get the listeners that Node adds to the ports of a new `Worker`; `zone.js` throws at their first
 * event, which ends the process.
 */
export function withOriginalEventTarget<T>(run: () => T): T {
  const patched = Object.getOwnPropertyDescriptor(EventTarget.prototype, 'addEventListener');
  if (!original || !patched || patched.value === original.value) return run();
  const isRestored = Reflect.defineProperty(EventTarget.prototype, 'addEventListener', original);
  try {
    return run();
  } finally {
    if (isRestored) Object.defineProperty(EventTarget.prototype, 'addEventListener', patched);
  }
}
