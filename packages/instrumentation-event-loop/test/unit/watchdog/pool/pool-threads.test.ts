import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { PoolThreads, poolSizeIn } from '../../../../src/watchdog/pool/pool-threads.js';
import { staticRangeOf } from '../../../../src/watchdog/pool/thread-state.js';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-threads-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

function writeThread(id: number, name: string, call: string): void {
  mkdirSync(path.join(directory, String(id)), { recursive: true });
  writeFileSync(path.join(directory, String(id), 'comm'), `${name}\n`);
  writeFileSync(path.join(directory, String(id), 'syscall'), `${call}\n`);
}

const linuxTest = process.platform === 'linux' ? test : test.failing;

linuxTest('The threads with the name of libuv are found, also when they start later', () => {
  const threads = new PoolThreads(directory, {});
  writeThread(1, 'node', 'running');
  threads.find(0);
  expect(threads.size).toBe(0);
  for (let id = 2; id < 6; id++) writeThread(id, 'libuv-worker', 'running');
  threads.find(100);
  expect(threads.size).toBe(4);
  expect(threads.states()).toEqual(['cpu', 'cpu', 'cpu', 'cpu']);
  threads.close();
});

linuxTest('A thread that one of the pool has started, and that has its name, is none of the pool', () => {
  const threads = new PoolThreads(directory, {});
  for (let id = 98; id < 110; id++) writeThread(id, 'libuv-worker', 'running');
  for (let id = 98; id < 102; id++) writeThread(id, 'libuv-worker', '257 0x1');
  threads.find(0);
  expect(threads.states()).toEqual(Array.from({ length: 4 }, () => 'openat'));
  threads.close();
});

linuxTest('A thread of the pool that has its name a moment later than the others is found within a second', () => {
  const threads = new PoolThreads(directory, {});
  for (let at = 0; at < 8; at++) {
    writeThread(1, 'node', 'running');
    writeThread(90 + at, 'node', 'running');
    threads.find(at);
  }
  for (let id = 2; id < 6; id++) writeThread(id, id === 5 ? 'node' : 'libuv-worker', 'running');
  threads.find(100);
  expect(threads.size).toBe(3);
  writeThread(5, 'libuv-worker', 'running');
  threads.find(1100);
  expect(threads.size).toBe(4);
  threads.close();
});

linuxTest('Of many threads, a look reads as many as it is asked for', () => {
  for (let id = 1; id <= 64; id++) writeThread(id, 'libuv-worker', 'running');
  const threads = new PoolThreads(directory, { UV_THREADPOOL_SIZE: '64' });
  threads.find(0);
  expect(threads.size).toBe(64);
  expect(threads.states()).toHaveLength(16);
  expect(threads.states(64)).toHaveLength(64);
  threads.close();
});

linuxTest('The CPU times are in the order of the states of all threads, look after look', () => {
  for (let id = 1; id <= 20; id++) {
    writeThread(id, 'libuv-worker', id === 7 ? '257 0x1' : 'running');
    writeFileSync(path.join(directory, String(id), 'schedstat'), `${id * 1e6} 5 1\n`);
  }
  const threads = new PoolThreads(directory, { UV_THREADPOOL_SIZE: '20' });
  threads.find(0);
  expect(threads.states()).toHaveLength(16);
  for (let look = 0; look < 2; look++)
    expect(threads.cpuTimes()?.[threads.states(20)!.findIndex((state) => state !== 'cpu')]).toBe(7);
  rmSync(path.join(directory, '3', 'schedstat'));
  expect(threads.cpuTimes()).toBeUndefined();
  threads.close();
});

linuxTest('The state is not known where the system does not show it', () => {
  for (let id = 1; id <= 4; id++) writeThread(id, 'libuv-worker', '');
  const threads = new PoolThreads(directory, {});
  threads.find(0);
  expect(threads.states()).toBeUndefined();
  threads.close();
});

test.each([
  [undefined, 4],
  ['16', 16],
  ['0', 1],
  ['-3', 1],
  ['many', 1],
  ['99999', 1024],
])('UV_THREADPOOL_SIZE=%s is a pool of %d threads', (value, size) => {
  expect(poolSizeIn({ UV_THREADPOOL_SIZE: value })).toBe(size);
});

linuxTest('Threads without names may be those of the pool where as many are at work', () => {
  const findWith = (calls: readonly string[], haveNames = false): boolean => {
    calls.forEach((call, i) => {
      writeThread(i + 1, 'node', call);
    });
    const threads = new PoolThreads(directory, {}, haveNames);
    threads.find(0);
    return threads.mayBeHidden;
  };
  const epollWait = process.arch === 'x64' ? '232 0x5' : '22 0x5';
  expect(findWith(['running', 'running', 'running', epollWait])).toBe(false);
  expect(findWith(['running', 'running', 'running', 'running'], true)).toBe(false);
  expect(findWith(['running', 'running', 'running', 'running'])).toBe(true);
});

linuxTest('Threads without names are found by those that wait at the lock of libuv, and by their row', () => {
  const range = staticRangeOf(readFileSync('/proc/self/maps', 'latin1'), process.execPath)!;
  const futex = process.arch === 'x64' ? '202' : '98';
  const [idle, elsewhere] = [`${futex} 0x${range.start.toString(16)}`, `${futex} 0x1`];
  const poll = process.arch === 'x64' ? '7 0x1' : '73 0x1';
  const statesWith = (calls: readonly string[]): readonly string[] | undefined => {
    calls.forEach((call, i) => {
      writeThread(i + 98, 'node', call);
    });
    const threads = new PoolThreads(directory, {}, false);
    threads.find(0);
    return threads.states();
  };
  expect(statesWith([elsewhere, poll, poll, idle, idle, elsewhere])).toEqual(['poll', 'poll', 'idle', 'idle']);
  expect(statesWith([elsewhere, idle, 'running', 'running', idle])).toEqual(['idle', 'cpu', 'cpu', 'idle']);
  // Another thread is at work, and may be meant.
  expect(statesWith(['running', poll, idle, idle, poll, elsewhere])).toEqual([]);
  expect(statesWith(['running', elsewhere, poll, idle, idle, elsewhere])).toEqual([]);
  expect(statesWith(['running', 'running', 'running', 'running', idle, elsewhere])).toEqual([]);
});

linuxTest('The CPU time in the kernel is that of all threads', () => {
  for (let id = 1; id <= 4; id++) {
    writeThread(id, 'libuv-worker', 'running');
    writeFileSync(path.join(directory, String(id), 'stat'), `${id} (a) b) R 1 1 1 0 -1 0 0 0 0 0 ${id} 10 0 0 20 0`);
  }
  const threads = new PoolThreads(directory, {});
  threads.find(0);
  expect(threads.cpuSplit()).toEqual({ user: 10, system: 40 });
  rmSync(path.join(directory, '2', 'stat'));
  expect(threads.cpuSplit()).toBeUndefined();
  threads.close();
});
