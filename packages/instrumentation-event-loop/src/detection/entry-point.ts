import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import process from 'node:process';
import { promiseThen, Reflect } from '../contract/built-ins.js';
import { attempt, guarded } from '../contract/guard.js';
import { listenToProcess, processListeners } from '../contract/own-listeners.js';
import { runInRootContext } from './root-timers.js';

// Not `queueMicrotask`: on Node.js 20 it makes an `AsyncResource`, whose methods the application may have replaced.
const settled = Promise.resolve();
// So that `then` does not look for a species at the application's `Promise`.
Reflect.defineProperty(settled, 'constructor', { value: undefined });

function runMicrotask(callback: () => void): void {
  void promiseThen(settled, guarded(callback));
}

/** Promise jobs take turns, and so many turns evaluate a module whose files need not be waited for. */
const TURNS = 64;

/** Node 20 has an `exit` listener of this name while it loads and evaluates an ES module as the entry point. */
const ENTRY_LISTENER = 'handleProcessExit';
/** From Node 22 on, these channels report an import from its request until the module has been evaluated. */
const IMPORT_START = 'tracing:module.import:start';
const IMPORT_END = 'tracing:module.import:asyncEnd';

/**
 * Calls back once this thread's entry point has been evaluated: when the CommonJS main module has returned, or when the
 * ES module with all that it imports has been evaluated, top-level `await` included. Calls back soon if that is so
 * already. Returns a function that cancels.
 *
 * Node has no event for this. A CommonJS main module runs in one go, before the first microtask. An ES module is evaluated
 * in promise jobs, before or between iterations of the loop. A callback of `nextTick` would be earlier than what the main
 * module puts there itself, but the application would see it. While one is queued, promise jobs have another frame at the
 * end of their stacks, and so do the errors that the application prints.
 */
export function whenEntryPointEvaluated(callback: () => void): () => void {
  let entryImport: unknown;
  const cancel = (): void => {
    isWaiting = false;
    attempt(() => unsubscribe(IMPORT_START, onImportStart));
    attempt(() => unsubscribe(IMPORT_END, onImportEnd));
    stopListening();
  };
  const finish = (): void => {
    if (!isWaiting) return;
    cancel();
    callback();
  };
  const onImportStart = guarded((message: unknown): void => {
    // Others may publish there, too.
    if (typeof message !== 'object' || message === null) return;
    // Only the entry point has no parent: the modules of `--import` are imported from the working directory.
    if ((message as { parentURL?: string }).parentURL !== undefined) return;
    entryImport ??= message;
  });
  const onImportEnd = guarded((message: unknown): void => {
    if (entryImport !== undefined && message === entryImport) finish();
  });
  const stopListening = listenToProcess('removeListener', (event: string | symbol, listener: unknown): void => {
    if (event === 'exit' && isEntryListener(listener)) finish();
  });
  let isWaiting = true;
  subscribe(IMPORT_START, onImportStart);
  subscribe(IMPORT_END, onImportEnd);
  runInRootContext(() => {
    const look = (turns: number): void => {
      if (!isWaiting) return;
      if (isMainModuleLoaded()) finish();
      else if (entryImport !== undefined || isEntryBeingImported()) return;
      // The promise jobs that are queued now may still import or load the entry point.
      else if (turns === 0) finish();
      else {
        runMicrotask(() => {
          look(turns - 1);
        });
      }
    };
    runMicrotask(() => {
      look(TURNS);
    });
  });
  return cancel;
}

function isEntryBeingImported(): boolean {
  const listeners = processListeners('exit');
  for (let i = 0; i < listeners.length; i++) if (isEntryListener(listeners[i])) return true;
  return false;
}

function isEntryListener(listener: unknown): boolean {
  return typeof listener === 'function' && listener.name === ENTRY_LISTENER;
}

/** Whether the entry point is a CommonJS module that has been evaluated. */
export function isMainModuleLoaded(): boolean {
  return (process as { mainModule?: { loaded?: boolean } }).mainModule?.loaded === true;
}
