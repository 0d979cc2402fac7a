import { PROBE_SYMBOL } from '../contract/probe-answers.js';

/**
 * Defines the key of the probe where the thread's monitor starts. The probe itself comes with the first heartbeat: a test
 * runner that compares the keys of the global object (`@hapi/lab`) would count a key that appears then as a leak of the
 * tests, and fail them.
 */
export function reserveProbeKey(main: object): void {
  const key = Symbol.for(PROBE_SYMBOL);
  if (Reflect.has(main, key)) return;
  // On a frozen `globalThis` this fails, as the probe does later, which says so.
  Reflect.defineProperty(main, key, { value: undefined, configurable: true, enumerable: false, writable: false });
}
