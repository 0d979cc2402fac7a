import process from 'node:process';
import { setTimeout } from 'node:timers';
import type { Worker } from 'node:worker_threads';

import { uncurryThis } from '../built-ins.js';
import { attempt, guarded, ownListener } from '../guard.js';
import { unrefTimer } from '../unref.js';

/** How long a worker thread has run when it is first looked at, ms. Each later look comes after twice the time. */
const FIRST_LOOK_MS = 100;
/** The id of a worker that has ended. */
const NO_THREAD = -1;

type ChangeListeners = (this: NodeJS.Process, event: string, listener: (worker: Worker) => void) => unknown;
/* eslint-disable @typescript-eslint/unbound-method -- `uncurryThis` gives them their `this` */
const on = uncurryThis(process.on as ChangeListeners);
const off = uncurryThis(process.off as ChangeListeners);
/* eslint-enable @typescript-eslint/unbound-method */

/**
 * Calls `write` with the id of each worker thread that this thread has started and whose loop has begun: by then, the thread
 * has loaded the preload, unless it has an environment of its own. Returns a function that ends this.
 */
export function noteStartedWorkers(write: (threadId: number) => void): () => void {
  let isOver = false;
  const look = (worker: Worker, afterMs: number): void => {
    const onTime = guarded(() => {
      if (isOver || worker.threadId === NO_THREAD) return;
      if (hasBegunLoop(worker)) write(worker.threadId);
      else look(worker, afterMs * 2);
    });
    unrefTimer(setTimeout(onTime, afterMs));
  };
  const onWorker = ownListener((worker: Worker) => {
    look(worker, FIRST_LOOK_MS);
  });
  attempt(() => on(process, 'worker', onWorker));
  return () => {
    isOver = true;
    attempt(() => off(process, 'worker', onWorker));
  };
}

/** The thread of the hooks of `module.register()` begins none. Nor does a thread that waits in `Atomics.wait` all the time. */
function hasBegunLoop(worker: Worker): boolean {
  const { active, idle } = worker.performance.eventLoopUtilization();
  return active > 0 || idle > 0;
}
