import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';
import { setEnvironmentData } from 'node:worker_threads';

import {
  ATTACH_GOODBYE,
  ATTACH_READY,
  ATTACH_SOCKET,
  type ChannelConfig,
  type ChannelRecord,
  CONFIG_FILE,
  RECORDS_FILE,
} from '../channel/contract.js';
import { instrument } from './start.js';

/*
 * `loopwatch attach` evaluates this file as text in each thread of a process that already runs. It removes all that it
 * has added as soon as its connection to the CLI ends, in whatever way.
 */

/**
 * The inspector is closed first, 0.3 s after the session: on a busy machine that blocks the thread, which is no block of
 * the program.
 */
const START_DELAY_MS = 500;
const ATTACHED = Symbol.for('loopwatch.attached');
/** Keys under which the instrumentation shares data with its other copies; with `loopwatch.registry.*` for threads. */
const OWN_PREFIX = 'loopwatch.';
const REGISTRY_KEY = 'loopwatch.registry.2';

/**
 * Instruments this thread. Returns why it does not, else an empty text. `foreignKeys` are the symbols that `globalThis`
 * had before this file was evaluated.
 */
export function start(directory: string, foreignKeys: readonly symbol[]): string {
  const foreign = new Set(foreignKeys.filter(isOwnKey));
  if ([...foreign].some(({ description }) => /\.(attached|run\.started)$/.test(description ?? ''))) {
    return 'one that another loopwatch watches';
  }
  const channel = openRecords(directory);
  let stopInstrumentation = (): void => undefined;
  const starting = setTimeout(() => {
    stopInstrumentation = instrument(channel);
    socket.write(ATTACH_READY);
  }, START_DELAY_MS).unref();
  Reflect.defineProperty(globalThis, ATTACHED, { value: true, configurable: true });

  let isStopped = false;
  const stop = (isAlone: boolean): void => {
    if (isStopped) return;
    isStopped = true;
    clearTimeout(starting);
    socket.destroy();
    try {
      stopInstrumentation();
      for (const key of Object.getOwnPropertySymbols(globalThis)) {
        if (isOwnKey(key) && !foreign.has(key)) Reflect.deleteProperty(globalThis, key);
      }
      // Where the program has the instrumentation itself, its threads share the registry.
      if (foreign.size === 0) setEnvironmentData(REGISTRY_KEY, undefined);
    } finally {
      channel.close();
      if (isAlone) rmSync(directory, { recursive: true, force: true });
    }
  };
  let received = '';
  const socket = connect(path.join(directory, ATTACH_SOCKET));
  socket.unref();
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => (received += text));
  socket.on('error', () => undefined); // `close` follows
  for (const event of ['end', 'close'] as const) {
    socket.once(event, () => {
      stop(received !== ATTACH_GOODBYE);
    });
  }
  return '';
}

function isOwnKey({ description }: symbol): boolean {
  return description?.startsWith(OWN_PREFIX) ?? false;
}

interface Records {
  readonly config: ChannelConfig;
  readonly write: (record: ChannelRecord) => void;
  readonly close: () => void;
}

function openRecords(directory: string): Records {
  const config = JSON.parse(readFileSync(path.join(directory, CONFIG_FILE), 'utf8')) as ChannelConfig;
  const descriptor = openSync(path.join(directory, RECORDS_FILE), 'a');
  return {
    config,
    write: (record) => {
      try {
        writeSync(descriptor, `${JSON.stringify(record)}\n`);
      } catch {
        // The disk is full: the record is lost, and the program must not fail.
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
