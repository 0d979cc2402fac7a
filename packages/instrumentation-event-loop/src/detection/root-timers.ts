import { AsyncResource } from 'node:async_hooks';
import timers from 'node:timers';
import { Reflect } from '../contract/built-ins.js';
import { unrefImmediate, unrefTimeout } from '../contract/unref.js';

// Taken when the module loads, so that fake timers in the application's tests do not replace them.
const { setImmediate, setInterval, setTimeout, clearImmediate, clearInterval, clearTimeout } = timers;

/** Like `AsyncLocalStorage.snapshot()`, but with `hasRef()`, which Jest calls to find what keeps a process alive. */
class RootScope extends AsyncResource {
  constructor() {
    super('LOOPWATCH');
  }

  hasRef(): boolean {
    return false;
  }
}

const rootScope = new RootScope();
// eslint-disable-next-line @typescript-eslint/unbound-method -- called with the scope
const { runInAsyncScope } = rootScope;
const arrayPrototype: readonly unknown[] = globalThis.Array.prototype as readonly unknown[];

const { pop } = globalThis.Array.prototype;

/**
 * Runs a function outside of the application's asynchronous contexts. A timer keeps the context in which it was armed,
 * and with it the data of a request; our timers live as long as the process. `context.with(ROOT_CONTEXT)` would leave
 * only OpenTelemetry's own context, and on Node 20 it switches `AsyncLocalStorage` on for the whole process.
 */
function runInRootContext<T>(callback: () => T): T {
  // Node.js leaves a scope by `pop`: one that throws would end the process with a corrupted stack of scopes. The context in
  // which this is called is kept instead.
  if (Reflect.getOwnPropertyDescriptor(arrayPrototype, 'pop')?.value !== pop) return callback();
  return Reflect.apply(runInAsyncScope<undefined, T>, rootScope, [callback]);
}

let requestedIterations = 0;

function onRequestedIteration(): void {
  requestedIterations--; // only the iteration is needed
}

/** Timers that carry no context and do not keep the process alive. Their callbacks are guarded, or guard themselves. */
export const rootTimers = {
  setImmediate: (callback: () => void): NodeJS.Immediate =>
    runInRootContext(() => unrefImmediate(setImmediate(callback))),
  setInterval: (callback: () => void, ms: number): NodeJS.Timeout =>
    runInRootContext(() => unrefTimeout(setInterval(callback, ms))),
  setTimeout: (callback: () => void, ms: number): NodeJS.Timeout =>
    runInRootContext(() => unrefTimeout(setTimeout(callback, ms))),
  /** For a callback that already runs in the root context: what it arms inherits that context. */
  rearmImmediate: (callback: () => void): NodeJS.Immediate => unrefImmediate(setImmediate(callback)),
  /**
   * Makes the loop run one more iteration before it sleeps; for a callback in the root context. Not unref'd: the loop
   * sleeps although an unref'd immediate is pending.
   */
  iterateOnce: (): void => {
    requestedIterations++;
    setImmediate(onRequestedIteration);
  },
  /** How many of these are still to come: Node counts their immediates among the active resources. */
  requestedIterations: (): number => requestedIterations,
  clearImmediate,
  clearInterval,
  clearTimeout,
};

export type RootTimers = typeof rootTimers;
export { runInRootContext };
