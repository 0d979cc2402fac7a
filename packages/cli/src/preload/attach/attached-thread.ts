import { performance } from 'node:perf_hooks';
import { isMainThread, setEnvironmentData } from 'node:worker_threads';

import { REGISTRY_KEY } from '@loopwatch/instrumentation-event-loop/internal';

import type { AttachOptions, RecordsFile } from '../../channel/contract.js';
import { type Channel, createAppender, urlOfRecords } from '../../channel/writer.js';
import { instrument } from '../start.js';
import { hasInterruptedWork } from './interrupted-work.js';
import { pathOf } from './records-file.js';

/** On the `globalThis` of a thread that `loopwatch attach` watches: its `AttachedThread`. */
export const ATTACHED = 'loopwatch.attached';
/** Keys under which the instrumentation shares data with its other copies. */
const OWN_PREFIX = 'loopwatch.';

/** A thread of a process that already runs, and what was added to it. */
export interface AttachedThread {
  /** Starts the instrumentation. */
  begin: () => void;
  /** Removes all that was added. */
  end: () => void;
}

/** Whether another Loopwatch watches this thread, by the symbols that `globalThis` had before the agent was evaluated. */
export function isWatchedByAnother(foreignKeys: readonly symbol[]): boolean {
  return foreignKeys.some((key) => isOwnKey(key) && isOfAnotherLoopwatch(key));
}

/**
 * Prepares this thread, which writes to its own `descriptor` of the file of records; its watchdog thread opens the file by
 * that of the main thread.
 */
export function attachThread(
  { config, isBlocked }: AttachOptions,
  foreignKeys: readonly symbol[],
  { records, descriptor }: { readonly records: RecordsFile; readonly descriptor: number },
): AttachedThread {
  const foreign = new Set(foreignKeys.filter(isOwnKey));
  const append = createAppender(descriptor, () => {
    // Nothing can be written any more, and the watchdog thread would write to another file of the program.
    thread.end();
    throw new Error('the program has closed all descriptors');
  });
  // What it has worked so far is no start-up. The loop of a worker thread begins before its entry point is evaluated.
  const isStarted = performance.nodeTiming.loopStart >= 0;
  const write: Channel['write'] = (record) => {
    if (record.type === 'startUp' && isStarted) return;
    // A thread that is left inside its block has not reported that block.
    if (record.type === 'end' && hasInterruptedWork()) return;
    append(record);
  };
  let stopInstrumentation = (): void => undefined;
  let isEnded = false;
  const thread: AttachedThread = {
    begin: () => {
      if (isEnded) return;
      // The work that lasts already is the first busy period, which otherwise counts as the start-up.
      const countsStartUp = isBlocked || (!isMainThread && hasInterruptedWork());
      const url = urlOfRecords(pathOf(records), records.inode);
      stopInstrumentation = instrument({ url, write, config: { ...config, countsStartUp } });
    },
    end: () => {
      if (isEnded) return;
      isEnded = true;
      stopInstrumentation();
      for (const key of Object.getOwnPropertySymbols(globalThis)) {
        if (isOwnKey(key) && !foreign.has(key)) Reflect.deleteProperty(globalThis, key);
      }
      // Where the program has the instrumentation itself, its threads share the registry.
      if (foreign.size === 0) setEnvironmentData(REGISTRY_KEY, undefined);
    },
  };
  Reflect.defineProperty(globalThis, Symbol.for(ATTACHED), { value: thread, configurable: true });
  return thread;
}

function isOfAnotherLoopwatch({ description = '' }: symbol): boolean {
  return description.endsWith('.attached') || description.endsWith('.run.started');
}

function isOwnKey({ description }: symbol): boolean {
  return description?.startsWith(OWN_PREFIX) ?? false;
}
