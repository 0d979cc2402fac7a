import { AsyncResource } from 'node:async_hooks';
import timers from 'node:timers';

// Taken at load, so that fake timers in the application's tests do not stop us.
const { setImmediate, setInterval, setTimeout, clearImmediate, clearInterval, clearTimeout } = timers;

/** What `AsyncLocalStorage.snapshot()` is, with an answer for those who list what keeps a process alive (Jest does). */
class RootScope extends AsyncResource {
  constructor() {
    super('LOOPWATCH');
  }

  hasRef(): boolean {
    return false;
  }
}

const rootScope = new RootScope();

/**
 * Runs a function outside of the application's asynchronous contexts. A timer keeps the context it was armed in, and with
 * it a request's data, for as long as it lives; ours live as long as the process. (`context.with(ROOT_CONTEXT)` would
 * do it for OpenTelemetry's own context only, and on Node 20 switches `AsyncLocalStorage` on for the whole process.)
 */
function runInRootContext<T>(callback: () => T): T {
  return rootScope.runInAsyncScope(callback);
}

function doNothing(): void {
  // What counts is the turn.
}

/** Timers that carry no context and do not keep the process alive. */
export const rootTimers = {
  setImmediate: (callback: () => void): NodeJS.Immediate => runInRootContext(() => setImmediate(callback).unref()),
  setInterval: (callback: () => void, ms: number): NodeJS.Timeout =>
    runInRootContext(() => setInterval(callback, ms).unref()),
  setTimeout: (callback: () => void, ms: number): NodeJS.Timeout =>
    runInRootContext(() => setTimeout(callback, ms).unref()),
  /** For a callback that already runs in the root context: what it arms inherits that. */
  rearmImmediate: (callback: () => void): NodeJS.Immediate => setImmediate(callback).unref(),
  /** Has the loop turn once more before it sleeps, if it is to turn at all; for a callback in the root context. */
  iterateOnce: (): void => void setImmediate(doNothing),
  clearImmediate,
  clearInterval,
  clearTimeout,
};

export type RootTimers = typeof rootTimers;
export { runInRootContext };
