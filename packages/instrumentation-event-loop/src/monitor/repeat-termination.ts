import { Worker } from 'node:worker_threads';
import { rootTimers } from '../detection/root-timers.js';

/** When a termination is repeated, in ms after it. Only three times: each `terminate` call adds an `exit` listener. */
const REPEAT_AFTER_MS = [100, 500, 2500];

/**
 * Wraps `Worker.prototype.terminate` so that a termination is repeated until the worker has exited. Without this, a
 * worker that is terminated while it runs the probe can continue: V8's termination unwinds the probe and then stops in
 * the inspector that has called it (Node 20 and 22). A worker that is reporting a block may finish that first. Returns a
 * function that removes the wrapper.
 */
export function repeatTerminations(beforeEnd: (threadId: number) => void): () => void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the caller's own `this`
  const original = Worker.prototype.terminate;
  const terminate = function terminate(this: Worker): Promise<number> {
    beforeEnd(this.threadId);
    const result = original.call(this);
    try {
      repeatUntil(result, () => void original.call(this));
    } catch {
      // The application has patched `Promise`: the worker is terminated once, as without this wrapper.
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
