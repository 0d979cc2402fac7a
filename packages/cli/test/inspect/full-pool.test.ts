import process from 'node:process';

import { expect, test } from '@jest/globals';

import { fullPoolNote, fullPoolOf } from '../../src/cli/inspect/process/full-pool.js';

const FUTEX = process.arch === 'x64' ? '202 0x5a 0x0' : '98 0x5a 0x0';

/** Of a process with these calls in the threads of its pool, beside two others. */
function fullPool(calls: readonly (string | undefined)[]): readonly string[] {
  const names = new Map([
    ['7/task/7/comm', 'node\n'],
    ['7/task/8/comm', 'V8Worker\n'],
    ['7/task/8/syscall', FUTEX],
    ...calls.flatMap((call, i) => [
      [`7/task/${i + 9}/comm`, 'libuv-worker\n'] as const,
      ...(call === undefined ? [] : [[`7/task/${i + 9}/syscall`, call] as const]),
    ]),
  ]);
  const ids = ['7', '8', ...calls.map((_, i) => String(i + 9))];
  return fullPoolOf(7, { entries: () => ids, read: (name) => names.get(name) });
}

test.each<[string, readonly (string | undefined)[], readonly string[]]>([
  ['computes, or is in a call of the system', ['running', '257 0xff', '7 0x1', '-1 0x2'], ['9', '10', '11', '12']],
  ['is in a lock', ['running', 'running', 'running', FUTEX], []],
  ['is not shown', ['running', undefined], []],
  ['has not been started', [], []],
])('a pool of which a thread %s', (_, calls, expected) => {
  expect(fullPool(calls)).toEqual(expected);
});

test('a pool that was full at both looks is said to be full, and one that was so for a moment is not', () => {
  expect(fullPoolNote(7, ['9', '10'], ['9', '10'])).toBe(
    "No thread of libuv's pool was free (2 threads): files, lookups, hashes and compression wait for one. " +
      '`loopwatch attach 7` says for how long.',
  );
  expect([fullPoolNote(7, ['9', '10'], []), fullPoolNote(7, [], [])]).toEqual([undefined, undefined]);
});
