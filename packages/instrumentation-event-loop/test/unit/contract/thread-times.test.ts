import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ThreadTimes } from '../../../src/contract/model.js';
import { openSchedstat, ownThreadId, ownThreadTimes, readTogether } from '../../../src/contract/thread-times.js';

const onLinux = process.platform === 'linux';
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-schedstat-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** A task, as a path relative to /proc, whose schedstat file has this text. */
function taskWith(text: string): string {
  writeFileSync(path.join(directory, 'schedstat'), text);
  return path.relative('/proc', directory);
}

describe('schedstat', () => {
  const cases: [string, string, { cpuMs: number; runQueueMs: number } | undefined][] = [
    ['what the kernel writes', '1500000000 250000000 321\n', { cpuMs: 1500, runQueueMs: 250 }],
    ['a thread that never waited', '1000000 0 1\n', { cpuMs: 1, runQueueMs: 0 }],
    [
      'a thread that has run for months',
      '9007199254740991 9007199254740991 999999999\n',
      { cpuMs: 9007199254740991 / 1e6, runQueueMs: 9007199254740991 / 1e6 },
    ],
    ['a kernel without scheduler statistics', '0 0 0\n', undefined],
    ['an empty file', '', undefined],
    ['a text without numbers', 'not numbers\n', undefined],
    ['a single number', '1500000000\n', undefined],
  ];

  test.each(onLinux ? cases : [])('gives the right times for %s', (_, text, expected) => {
    const reader = openSchedstat(taskWith(text));
    expect(reader?.read()).toEqual(expected);
    reader?.close();
  });

  test('is read again each time, through the same descriptor', () => {
    if (!onLinux) return;
    const reader = openSchedstat(taskWith('1000000 2000000 1\n'))!;
    writeFileSync(path.join(directory, 'schedstat'), '5000000 6000000 2\n');
    expect(reader.read()).toEqual({ cpuMs: 5, runQueueMs: 6 });
    reader.close();
  });

  test('is undefined for a thread that does not exist', () => {
    expect(openSchedstat('self/task/999999999')).toBeUndefined();
  });

  test('is undefined after closing, and closing twice does not throw', () => {
    if (!onLinux) return;
    const reader = openSchedstat(taskWith('1000000 2000000 1\n'))!;
    reader.close();
    expect(reader.read()).toBeUndefined();
    expect(reader.close).not.toThrow();
  });
});

describe('this thread', () => {
  test('uses CPU time while it computes', () => {
    const reader = ownThreadTimes();
    const before = reader.read();
    for (let i = 0, x = 1; i < 2e7; i++) x = (x * 31 + i) % 1_000_003;
    const after = reader.read();
    reader.close();
    expect(after!.cpuMs).toBeGreaterThan(before!.cpuMs);
  });

  test('uses hardly any CPU time while it sleeps', () => {
    const reader = ownThreadTimes();
    const before = reader.read()!;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    const after = reader.read()!;
    reader.close();
    expect(after.cpuMs - before.cpuMs).toBeLessThan(50);
  });

  test('has the id under which the system keeps its times', () => {
    if (!onLinux) return;
    expect(openSchedstat(`self/task/${ownThreadId()}`)?.read()).toBeDefined();
  });
});

describe('a clock and thread times that are read together', () => {
  /** A thread that never sleeps. Before each of its first readings it loses the CPU for so many ms. */
  function runningThread(lostMs: readonly number[]) {
    let time = 1000;
    let runQueueMs = 0;
    let readings = 0;
    const step = (): void => {
      const lost = lostMs[readings++] ?? 0;
      time += lost;
      runQueueMs += lost;
    };
    const now = (): number => (step(), time);
    const readTimes = (): ThreadTimes => (step(), { cpuMs: 0, runQueueMs });
    return { now, readTimes, readings: () => readings };
  }

  const places = Array.from({ length: 64 }, (_, bits) => Array.from({ length: 6 }, (__, i) => ((bits >> i) & 1) * 40));
  // Six readings are two attempts: the third keeps the CPU.
  test.each(places)('agree wherever the thread loses the CPU: %s %s %s %s %s %s ms', (...lostMs) => {
    const { now, readTimes } = runningThread(lostMs);
    const { at, times } = readTogether(now, readTimes);
    expect(at - 1000).toBe(times?.runQueueMs);
  });

  test('are read only once where the thread keeps the CPU, and three times at most', () => {
    const calm = runningThread([]);
    readTogether(calm.now, calm.readTimes);
    expect(calm.readings()).toBe(3);
    const starved = runningThread(Array.from({ length: 99 }, () => 40));
    readTogether(starved.now, starved.readTimes);
    expect(starved.readings()).toBeLessThanOrEqual(9);
  });
});
