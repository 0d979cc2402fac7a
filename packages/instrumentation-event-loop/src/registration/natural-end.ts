import { performance } from 'node:perf_hooks';
import process from 'node:process';
import timers from 'node:timers';
import { Reflect } from '../contract/built-ins.js';
import { attempt, drop, guarded } from '../contract/guard.js';
import { addToProcess, isOwnListener, ownListener, processListeners } from '../contract/own-listeners.js';
import { wrapFunction } from '../contract/wrap-function.js';
import { rootTimers, runInRootContext } from '../detection/root-timers.js';
import { afterRunning } from './running-limit.js';
import { StartedWork } from './started-work.js';

/** How long the last export may delay the end of the process, in ms in which the process can run. */
export const LAST_EXPORT_LIMIT_MS = 3000;

/** Node's own listener: it sets the exit code of a program that ends while its main module still awaits. */
const NODE_EXIT_LISTENER = 'handleProcessExit';
const EVENT = 'beforeExit';

const { setImmediate } = timers;
const now = performance.now.bind(performance);

type Emit = (this: unknown, ...event: readonly unknown[]) => boolean;

/**
 * Exports when the loop has run empty. Without a receiver, an exporter tries again for many seconds; a program whose
 * work is done ends after `LAST_EXPORT_LIMIT_MS` nevertheless.
 *
 * An export makes the loop run, and Node.js then emits `beforeExit` once more. Where the application listens to it and has
 * started no work there, no listener is called for that event: they are called as often as without an export.
 *
 * Returns whether the listeners are being watched for that: what this package starts then would count as their work.
 */
export function flushBeforeNaturalEnd(flush: () => Promise<void>): () => boolean {
  let hasBegun = false;
  let isWatching = false;
  const exit = process.exit.bind(process);
  // Not guarded: Node.js gets what a listener of `exit` throws, as without us.
  const end = (): void => {
    if (!isAwaiting()) exit();
  };
  const listener = ownListener(() => {
    if (hasBegun) return;
    hasBegun = true;
    const others = otherListeners(listener);
    const started = others === 'after' ? attempt(() => new StartedWork()) : undefined;
    // At `beforeExit`, the async resource is `process` itself. Before Node.js 24, an SDK that enters a context writes to that
    // resource; where the application has frozen it, this throws, and the SDK's own timer of 30 s stays.
    runInRootContext(() => {
      if (!started) void exportBefore(others === 'none' ? end : undefined, flush);
      // After the other listeners, and after the ticks and promise jobs that they begin.
      else {
        isWatching = true;
        setImmediate(
          guarded(() => {
            isWatching = false;
            if (started.end()) void exportBefore(undefined, flush);
            else {
              const skipped = attempt(() => new SkippedEvents());
              void exportBefore(end, flush, () => skipped?.skipOneMore());
            }
          }),
        );
      }
    });
  });
  addToProcess(EVENT, listener);
  return () => isWatching;
}

/** `onLimit` is called where the export takes longer than its limit. */
async function exportBefore(
  onLimit: (() => void) | undefined,
  flush: () => Promise<void>,
  onExported?: () => void,
): Promise<void> {
  const cancelLimit = onLimit && afterRunning(LAST_EXPORT_LIMIT_MS, onLimit, { now, timers: rootTimers });
  try {
    await flush();
  } catch (error) {
    drop(error);
  }
  if (cancelLimit) attempt(cancelLimit);
  if (onExported) attempt(onExported);
}

/** No listener is called for `beforeExit`: the loop may run empty more than once before an SDK has loaded and exported. */
class SkippedEvents {
  #isLast = false;
  readonly #unwrap = wrapFunction<Emit>(process, 'emit', (original) => {
    const skip = (): boolean => {
      if (this.#isLast) this.#unwrap();
      return true;
    };
    return function (...event) {
      return event[0] === EVENT ? skip() : Reflect.apply(original, this, event);
    };
  });

  /** The next event is the last one to skip; `exit`, which follows, has nothing of this on its stack. */
  skipOneMore(): void {
    this.#isLast = true;
  }
}

/** Whether the application listens, too: `before` where a listener of it has been called already. */
function otherListeners(own: unknown): 'none' | 'before' | 'after' {
  const listeners = processListeners(EVENT);
  let isBefore = true;
  for (let i = 0; i < listeners.length; i++) {
    if (listeners[i] === own) isBefore = false;
    else if (!isOwnListener(listeners[i])) return isBefore ? 'before' : 'after';
  }
  return 'none';
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
