import process from 'node:process';

import { expect, test } from '@jest/globals';

import { askAgain } from '../../src/cli/inspect/inspector/ask-again.js';
import { ConnectionClosed, NoAnswer } from '../../src/cli/inspect/inspector/inspector-client.js';

function failing(errors: readonly Error[]): { ask: () => Promise<string>; count: () => number } {
  let count = 0;
  return {
    ask: () => {
      const error = errors[count++];
      return error ? Promise.reject(error) : Promise.resolve('answer');
    },
    count: () => count,
  };
}

test('a process whose inspector is closed under the session is asked again', async () => {
  const { ask, count } = failing([new ConnectionClosed(), new ConnectionClosed()]);
  await expect(askAgain(process.pid, ask)).resolves.toBe('answer');
  expect(count()).toBe(3);
});

const cases: readonly (readonly [string, number, readonly Error[], number])[] = [
  ['that does not answer', process.pid, [new NoAnswer('x')], 1],
  ['that has ended', 2_147_483_646, [new ConnectionClosed()], 1],
  [
    'whose inspector is closed again and again',
    process.pid,
    Array.from({ length: 9 }, () => new ConnectionClosed()),
    4,
  ],
];

test.each(cases)('a process %s is not asked again', async (_label, pid, errors, times) => {
  const { ask, count } = failing(errors);
  await expect(askAgain(pid, ask)).rejects.toBe(errors[times - 1]);
  expect(count()).toBe(times);
});
