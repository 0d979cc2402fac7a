import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { isMainThread, setEnvironmentData } from 'node:worker_threads';

import { type AttachOptions, type ChannelConfig, CONFIG_FILE, RECORDS_FILE } from '../channel/contract.js';
import { type Channel, markLost } from '../channel/writer.js';
import { hasInterruptedWork } from './interrupted-work.js';
import { instrument } from './start.js';

/** On the `globalThis` of a thread that `loopwatch attach` watches: its `AttachedThread`. */
export const ATTACHED = 'loopwatch.attached';
/** Key of the environment data by which the threads of a process share one watchdog thread. */
export const REGISTRY_KEY = 'loopwatch.registry.8';
/** Keys under which the instrumentation shares data with its other copies. */
const OWN_PREFIX = 'loopwatch.';

/** A thread of a process that already runs, and what was added to it. */
export interface AttachedThread {
  /** Starts the instrumentation. */
  begin: () => void;
  /** Removes all that was added. */
  end(): void;
}

/**
 * Prepares this thread; undefined when another Loopwatch watches it. `foreignKeys` are the symbols that `globalThis` had
 * before the agent was evaluated.
 */
export function attachThread(
  { directory, isBlocked }: AttachOptions,
  foreignKeys: readonly symbol[],
): AttachedThread | undefined {
  const foreign = new Set(foreignKeys.filter(isOwnKey));
  if ([...foreign].some(isOfAnotherLoopwatch)) return undefined;
  const channel = openRecords(directory);
  // What it has worked so far is no start-up. The loop of a worker thread begins before its entry point is evaluated.
  const isStarted = performance.nodeTiming.loopStart >= 0;
  const write: Channel['write'] = (record) => {
    if (record.type === 'startUp' && isStarted) return;
    // A thread that is left inside its block has not reported that block.
    if (record.type === 'end' && hasInterruptedWork()) return;
    channel.write(record);
  };
  let stopInstrumentation = (): void => undefined;
  let isEnded = false;
  const thread: AttachedThread = {
    begin: () => {
      if (isEnded) return;
      // The work that lasts already is the first busy period, which otherwise counts as the start-up.
      const countsStartUp = isBlocked || (!isMainThread && hasInterruptedWork());
      stopInstrumentation = instrument({ ...channel, write, config: { ...channel.config, countsStartUp } });
    },
    end: () => {
      if (isEnded) return;
      isEnded = true;
      try {
        stopInstrumentation();
        for (const key of Object.getOwnPropertySymbols(globalThis)) {
          if (isOwnKey(key) && !foreign.has(key)) Reflect.deleteProperty(globalThis, key);
        }
        // Where the program has the instrumentation itself, its threads share the registry.
        if (foreign.size === 0) setEnvironmentData(REGISTRY_KEY, undefined);
      } finally {
        channel.close();
      }
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

interface Records extends Channel {
  readonly close: () => void;
}

function openRecords(directory: string): Records {
  const config = JSON.parse(readFileSync(path.join(directory, CONFIG_FILE), 'utf8')) as ChannelConfig;
  const file = path.join(directory, RECORDS_FILE);
  const descriptor = openSync(file, 'a');
  return {
    config,
    url: pathToFileURL(file).href,
    write: (record) => {
      try {
        const line = Buffer.from(`${JSON.stringify(record)}\n`);
        if (writeSync(descriptor, line) < line.length) markLost(descriptor);
      } catch {
        markLost(descriptor);
      }
    },
    close: () => {
      try {
        closeSync(descriptor);
      } catch {
        // The program has closed all descriptors.
      }
    },
  };
}
