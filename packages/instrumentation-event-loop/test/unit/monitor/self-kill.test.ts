import { constants } from 'node:os';
import process from 'node:process';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Header } from '../../../src/contract/registry-layout.js';
import { Registry } from '../../../src/contract/registry.js';
import { prepareSelfKill } from '../../../src/monitor/self-kill.js';

let registry: Registry;
let exitingSeen: { pid: number; exiting: number }[];
let restoreKill: () => void;
let ends: number;
const NAME = '_kill';
const original = Object.getOwnPropertyDescriptor(process, NAME)!;
const { signals } = constants;

/** As `process.kill` calls it: with the number of the signal. */
function kill(pid: number, signal: NodeJS.Signals | number = 'SIGTERM'): unknown {
  const number = typeof signal === 'number' ? signal : signals[signal];
  return (Reflect.get(process, NAME) as (pid: number, signal: number) => unknown).call(process, pid, number);
}

beforeEach(() => {
  registry = new Registry();
  exitingSeen = [];
  ends = 0;
  Reflect.set(process, NAME, (pid: number) => {
    exitingSeen.push({ pid, exiting: Atomics.load(registry.ints, Header.exiting) });
    return 0;
  });
  restoreKill = prepareSelfKill(registry, () => {
    ends++;
  });
});

afterEach(() => {
  restoreKill();
  Object.defineProperty(process, NAME, original);
});

test('a process that kills itself closes its sessions before', () => {
  expect(kill(process.pid, 'SIGTERM')).toBe(0);
  expect(exitingSeen).toEqual([{ pid: process.pid, exiting: 1 }]);
});

test.each([[0], [-process.pid]])('a process that kills its group, %s, reports first and closes its sessions', (pid) => {
  kill(pid, 'SIGTERM');
  expect(ends).toBe(1);
  expect(exitingSeen).toEqual([{ pid, exiting: 1 }]);
});

test.each([[undefined], ['SIGTERM'], ['SIGKILL'], [9]] as const)(
  'a process that ends by its signal %s reports first',
  (signal) => {
    kill(process.pid, signal);
    expect(ends).toBe(1);
  },
);

test.each([[0], ['SIGUSR1'], ['SIGSTOP'], ['SIGCHLD']] as const)(
  'a process that survives its signal %s goes on',
  (signal) => {
    kill(process.pid, signal);
    expect(ends).toBe(0);
  },
);

test('a process that listens for its signal goes on', () => {
  const listener = (): undefined => undefined;
  process.on('SIGUSR2', listener);
  kill(process.pid, 'SIGUSR2');
  process.off('SIGUSR2', listener);
  expect(ends).toBe(0);
});

test('a process that survives its signal can be observed again', () => {
  kill(process.pid, 0);
  expect(Atomics.load(registry.ints, Header.exiting)).toBe(0);
});

test('a signal to another process closes nothing', () => {
  kill(process.pid + 1, 'SIGTERM');
  expect(exitingSeen).toEqual([{ pid: process.pid + 1, exiting: 0 }]);
});

test('an error number is what the caller gets, and leaves the sessions open', () => {
  restoreKill();
  Reflect.set(process, NAME, () => -3);
  restoreKill = prepareSelfKill(registry, () => {
    ends++;
  });
  expect(kill(process.pid, 'SIGTERM')).toBe(-3);
  expect(Atomics.load(registry.ints, Header.exiting)).toBe(0);
});
