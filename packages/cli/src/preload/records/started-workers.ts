import process from 'node:process';
import { setTimeout } from 'node:timers';
import type { Worker } from 'node:worker_threads';

import { uncurryThis } from '../built-ins.js';
import { attempt, guarded, ownListener } from '../guard.js';
import { refreshTimer, unrefTimer } from '../unref.js';

/** Time between two looks at the worker threads that have not begun their loop, ms. */
const LOOK_INTERVAL_MS = 100;
/** How often one is looked at. Of one that has not begun its loop by then, nothing is known. */
const MAX_LOOKS = 30;
/** The id of a worker thread that has ended. */
const ENDED = -1;

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
  let waiting: { readonly worker: Worker; looks: number }[] = [];
  const onTime = guarded(() => {
    const looked = waiting;
    waiting = [];
    // By index, as elsewhere in the program's threads: it can replace the iterators of arrays.
    for (let i = 0; i < looked.length; i++) {
      const each = looked[i]!;
      each.looks++;
      if (each.worker.threadId === ENDED) continue;
      if (hasBegunLoop(each.worker)) write(each.worker.threadId);
      else if (each.looks < MAX_LOOKS) waiting[waiting.length] = each;
    }
    if (waiting.length > 0) refreshTimer(timer);
  });
  // One timer, from before the program began: one that is armed with a worker would keep the request that starts it.
  const timer = unrefTimer(setTimeout(onTime, LOOK_INTERVAL_MS));
  const onWorker = ownListener((worker: Worker) => {
    if (waiting.length === 0) refreshTimer(timer);
    waiting[waiting.length] = { worker, looks: 0 };
  });
  attempt(() => on(process, 'worker', onWorker));
  return () => {
    waiting = [];
    attempt(() => off(process, 'worker', onWorker));
  };
}

/** The thread of the hooks of `module.register()` begins none. Nor does a thread that waits in `Atomics.wait` all the time. */
function hasBegunLoop(worker: Worker): boolean {
  const { active, idle } = worker.performance.eventLoopUtilization();
  return active > 0 || idle > 0;
}
