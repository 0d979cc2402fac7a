import { clearTimeout, setTimeout } from 'node:timers';

import { guarded } from '../guard.js';
import { unrefTimer } from '../unref.js';

/** Calls `done` when the next task may start. */
type Task = (done: () => void) => void;

/**
 * Runs tasks one after the other, each in an iteration of the event loop of its own. A task that is not done after
 * `limitMs` no longer keeps the others waiting.
 */
export function createTaskQueue(limitMs: number): (task: Task) => void {
  const tasks: Task[] = [];
  let isRunning = false;
  const next = (): void => {
    const task = tasks.shift();
    isRunning = task !== undefined;
    if (!task) return;
    const start = (): void => {
      let isDone = false;
      const done = (): void => {
        if (isDone) return;
        isDone = true;
        clearTimeout(timer);
        next();
      };
      const timer = unrefTimer(setTimeout(guarded(done), limitMs));
      task(done);
    };
    unrefTimer(setTimeout(guarded(start), 0));
  };
  return (task) => {
    tasks.push(task);
    if (!isRunning) next();
  };
}
