import process from 'node:process';
import { ownListener } from '../contract/own-listeners.js';
import { rootTimers } from '../detection/root-timers.js';

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
  const onBeforeExit = (): void => {
    let isDone = false;
    const deadline = rootTimers.setTimeout(() => {
      // At `beforeExit` nothing was left to do: what keeps the process alive now is the export, unless other listeners
      // have started work.
      const mayHaveWork = process.listenerCount('beforeExit') > ownListeners;
      const isAwaiting = process.listeners('exit').some(({ name }) => name === NODE_EXIT_LISTENER);
      if (!isDone && !mayHaveWork && !isAwaiting) process.exit();
    }, LAST_EXPORT_LIMIT_MS);
    void flush().finally(() => {
      isDone = true;
      rootTimers.clearTimeout(deadline);
    });
  };
  process.once('beforeExit', ownListener(onBeforeExit));
}
