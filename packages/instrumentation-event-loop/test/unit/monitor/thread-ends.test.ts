import { channel } from 'node:diagnostics_channel';
import { constants } from 'node:os';
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Header } from '../../../src/contract/registry-layout.js';
import { Registry } from '../../../src/contract/registry.js';
import { ThreadEnds, type EndingMonitor } from '../../../src/monitor/thread-ends.js';

const events = ['exit', 'beforeExit'] as const;
const functions = ['_kill', 'abort', 'reallyExit'] as const;

let calls: string[];
let error: Error | undefined;
let registry: Registry;
let before: unknown[];
let ends: ThreadEnds;

/** All that an end may have left behind. */
function installed(): unknown[] {
  return [
    ...events.map((event) => process.listeners(event as 'exit')),
    ...functions.map((name) => Reflect.get(process, name) as unknown),
    Reflect.get(Worker.prototype, 'terminate'),
  ];
}

/** Calls the listeners that `ThreadEnds` has added, as the end of a process does. */
function end(event: (typeof events)[number]): void {
  const [listener] = process.listeners(event as 'exit').slice(-1);
  listener?.call(process, 0);
}

beforeEach(() => {
  calls = [];
  error = undefined;
  registry = new Registry();
  before = installed();
  const call = (name: string) => (): void => {
    calls.push(name);
    if (error) throw error;
  };
  const monitor: EndingMonitor = {
    flushUnheld: call('flush'),
    flushWithCurrent: call('flushWithCurrent'),
    receiveBlocks: call('receiveBlocks'),
    finish: call('finish'),
    excludeSince: call('excludeSince'),
    onError: (thrown) => {
      calls.push(`error ${(thrown as Error).message}`);
    },
  };
  ends = new ThreadEnds({ registry, slot: registry.claim(0, 'main'), monitor });
});

afterEach(() => {
  ends.close();
});

test('before another program takes the place of the process, all blocks are reported, and sessions are closed for a moment', async () => {
  channel('process.execve').publish({});
  expect(calls).toEqual(['flushWithCurrent', 'receiveBlocks']);
  expect(registry.ints[Header.exiting]).toBe(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(registry.ints[Header.exiting]).toBe(0);
  ends.close();
  expect(channel('process.execve').hasSubscribers).toBe(false);
});

test('an exit reports the last block, then those of the workers, and frees the slot', () => {
  end('exit');
  expect(calls).toEqual(['finish', 'receiveBlocks']);
  expect([...registry.live()]).toEqual([]);
});

test('an exit after the exit event reports nothing again', () => {
  end('exit');
  end('exit');
  expect(calls).toEqual(['finish', 'receiveBlocks']);
});

test('a loop that runs out of work reports what is pending, each time', () => {
  end('beforeExit');
  end('beforeExit');
  expect(calls).toEqual(['flush', 'flush']);
});

test.each(events)('an error at %s does not reach the application', (event) => {
  error = new Error('patched');
  expect(() => {
    end(event);
  }).not.toThrow();
  expect(calls.at(-1)).toBe('error patched');
});

test('a signal that ends the process itself reports also the block that lasts', () => {
  const original = before[events.length];
  ends.close();
  Reflect.set(process, '_kill', () => 0);
  const closed = new ThreadEnds({
    registry,
    slot: undefined,
    monitor: { ...silent, flushWithCurrent: () => calls.push('flushWithCurrent') },
  });
  const kill = Reflect.get(process, '_kill') as (pid: number, signal: number) => unknown;
  kill(process.pid, constants.signals.SIGKILL);
  closed.close();
  Reflect.set(process, '_kill', original);
  expect(calls).toEqual(['flushWithCurrent']);
});

test('nothing is left behind once it is closed', () => {
  expect(installed()).not.toEqual(before);
  ends.close();
  expect(installed()).toEqual(before);
});

const nothing = (): void => undefined;
const silent: EndingMonitor = {
  flushUnheld: nothing,
  flushWithCurrent: nothing,
  receiveBlocks: nothing,
  finish: nothing,
  excludeSince: nothing,
  onError: nothing,
};
