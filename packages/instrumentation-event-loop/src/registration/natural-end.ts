import process from 'node:process';
import { attempt, drop, guarded } from '../contract/guard.js';
import { listenToProcess, processListenerCount, processListeners } from '../contract/own-listeners.js';
import { rootTimers, runInRootContext } from '../detection/root-timers.js';

/** How long the last export may delay the end of the process, in ms. */
export const LAST_EXPORT_LIMIT_MS = 3000;

/** Node's own listener: it sets the exit code of a program that ends while its main module still awaits. */
const NODE_EXIT_LISTENER = 'handleProcessExit';

/**
 * Exports when the loop has run empty. Without a receiver, an exporter tries again for many seconds; a program whose
 * work is done ends after `LAST_EXPORT_LIMIT_MS` nevertheless. `ownListeners` is the number of listeners for
 * `beforeExit` that this package has added.
 */
export function flushBeforeNaturalEnd(flush: () => Promise<void>, ownListeners: number): void {
  let hasBegun = false;
  const exit = process.exit.bind(process);
  listenToProcess('beforeExit', () => {
    if (hasBegun) return;
    hasBegun = true;
    let isDone = false;
    const deadline = rootTimers.setTimeout(
      guarded(() => {
        // At `beforeExit` nothing was left to do: what keeps the process alive now is the export, unless other listeners
        // have started work.
        const mayHaveWork = processListenerCount('beforeExit') > ownListeners + 1;
        if (isDone || mayHaveWork || isAwaiting()) return;
        exit();
      }),
      LAST_EXPORT_LIMIT_MS,
    );
    const finish = async (): Promise<void> => {
      try {
        await flush();
      } catch (error) {
        drop(error);
      }
      isDone = true;
      attempt(() => {
        rootTimers.clearTimeout(deadline);
      });
    };
    // At `beforeExit`, the async resource is `process` itself. Before Node.js 24, an SDK that enters a context writes to that
    // resource; where the application has frozen it, this throws, and the SDK's own timer of 30 s stays.
    void runInRootContext(finish);
  });
}

/** Whether the main module still awaits. */
function isAwaiting(): boolean {
  const listeners = processListeners('exit');
  for (let i = 0; i < listeners.length; i++) {
    const listener = listeners[i];
    if (typeof listener === 'function' && listener.name === NODE_EXIT_LISTENER) return true;
  }
  return false;
}
