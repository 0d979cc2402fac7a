import { Worker } from 'node:worker_threads';
import { rootTimers } from '../detection/root-timers.js';

/** When a termination is repeated, in ms after it. Few: each call of Node's own adds a listener for `exit`. */
const REPEAT_AFTER_MS = [100, 500, 2500];

/**
 * A worker that is terminated at the very moment in which it answers the watchdog can go on: V8's termination unwinds the
 * probe and ends in the inspector that has called it (Node 20 and 22). So a termination is repeated until the worker has
 * exited. Returns what takes the wrapper off again.
 */
export function repeatTerminations(): () => void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the caller's own `this`
  const original = Worker.prototype.terminate;
  const terminate = function terminate(this: Worker): Promise<number> {
    const result = original.call(this);
    try {
      repeatUntil(result, () => void original.call(this));
    } catch {
      // A `Promise` that the application has spoilt: it is terminated once, as it would be without us.
    }
    return result;
  };
  Worker.prototype.terminate = terminate;
  return () => {
    if (Worker.prototype.terminate === terminate) Worker.prototype.terminate = original;
  };
}

function repeatUntil(exited: Promise<unknown>, terminate: () => void): void {
  let hasExited = false;
  void exited.then(
    () => (hasExited = true),
    () => (hasExited = true),
  );
  for (const ms of REPEAT_AFTER_MS) {
    rootTimers.setTimeout(() => {
      if (!hasExited) terminate();
    }, ms);
  }
}
