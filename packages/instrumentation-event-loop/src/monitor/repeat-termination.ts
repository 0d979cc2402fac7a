import { Worker } from 'node:worker_threads';
import { promiseThen, Reflect } from '../contract/built-ins.js';
import { attempt, guarded } from '../contract/guard.js';
import { wrapFunction } from '../contract/wrap-function.js';
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
  return wrapFunction<(this: Worker, ...args: unknown[]) => Promise<number>>(
    Worker.prototype,
    'terminate',
    (original) =>
      function (...args) {
        attempt(() => {
          beforeEnd(this.threadId);
        });
        const result = Reflect.apply(original, this, args);
        // Where the application has patched `Promise`, the worker is terminated once, as without this wrapper.
        attempt(() => {
          repeatUntil(result, () => void Reflect.apply(original, this, []));
        });
        return result;
      },
  );
}

function repeatUntil(exited: Promise<unknown>, terminate: () => void): void {
  let hasExited = false;
  const onExit = guarded(() => {
    hasExited = true;
  });
  void promiseThen(exited, onExit, onExit);
  const repeat = guarded(() => {
    if (!hasExited) terminate();
  });
  for (let i = 0; i < REPEAT_AFTER_MS.length; i++) rootTimers.setTimeout(repeat, REPEAT_AFTER_MS[i]!);
}
