import process from 'node:process';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Header } from '../../../src/contract/registry-layout.js';
import { Registry } from '../../../src/contract/registry.js';
import { prepareSelfKill } from '../../../src/monitor/self-kill.js';

let registry: Registry;
let exitingSeen: { pid: number; exiting: number }[];
let restoreKill: () => void;
let ends: number;
const { kill } = { kill: Object.getOwnPropertyDescriptor(process, 'kill')! };

beforeEach(() => {
  registry = new Registry();
  exitingSeen = [];
  ends = 0;
  process.kill = (pid: number) => {
    exitingSeen.push({ pid, exiting: Atomics.load(registry.ints, Header.exiting) });
    return true;
  };
  restoreKill = prepareSelfKill(registry, () => {
    ends++;
  });
});

afterEach(() => {
  restoreKill();
  Object.defineProperty(process, 'kill', kill);
});

test('a process that kills itself closes its sessions before', () => {
  expect(process.kill(process.pid, 'SIGTERM')).toBe(true);
  expect(exitingSeen).toEqual([{ pid: process.pid, exiting: 1 }]);
});

test.each([[undefined], ['SIGTERM'], ['SIGKILL'], [9]])(
  'a process that ends by its signal %s reports first',
  (signal) => {
    process.kill(process.pid, signal);
    expect(ends).toBe(1);
  },
);

test.each([[0], ['SIGUSR1'], ['SIGSTOP'], ['SIGCHLD']])('a process that survives its signal %s goes on', (signal) => {
  process.kill(process.pid, signal);
  expect(ends).toBe(0);
});

test('a process that listens for its signal goes on', () => {
  const listener = (): undefined => undefined;
  process.on('SIGUSR2', listener);
  process.kill(process.pid, 'SIGUSR2');
  process.off('SIGUSR2', listener);
  expect(ends).toBe(0);
});

test('a process that survives its signal can be observed again', () => {
  process.kill(process.pid, 0);
  expect(Atomics.load(registry.ints, Header.exiting)).toBe(0);
});

test('a signal to another process closes nothing', () => {
  process.kill(process.pid + 1, 'SIGTERM');
  expect(exitingSeen).toEqual([{ pid: process.pid + 1, exiting: 0 }]);
});

test('an error of process.kill is thrown to the caller, and leaves the sessions open', () => {
  restoreKill();
  process.kill = () => {
    throw new Error('ESRCH');
  };
  restoreKill = prepareSelfKill(registry, () => {
    ends++;
  });
  expect(() => process.kill(process.pid, 'SIGTERM')).toThrow('ESRCH');
  expect(Atomics.load(registry.ints, Header.exiting)).toBe(0);
});

test('process.kill is restored, unless other code has wrapped it meanwhile', () => {
  const wrapped = process.kill.bind(process);
  const wrapper: typeof process.kill = (...args) => wrapped(...args);
  process.kill = wrapper;
  restoreKill();
  expect(Reflect.get(process, 'kill')).toBe(wrapper);
});
