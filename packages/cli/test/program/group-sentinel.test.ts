import { expect, test } from '@jest/globals';

import { isEnding } from '../../src/cli/program/group-sentinel.js';

const NONE = '0000000000000000';

function statusOf(state: string, ofThread = NONE, ofProcess = NONE): string {
  return `Name:\tcat\nState:\t${state}\nPid:\t7\nSigQ:\t1/62793\nSigPnd:\t${ofThread}\nShdPnd:\t${ofProcess}\nSigBlk:\t${NONE}\n`;
}

test.each([
  ['waits', statusOf('S (sleeping)'), false],
  ['runs', statusOf('R (running)'), false],
  ['has a signal of its thread', statusOf('R (running)', '0000000000000100'), true],
  ['has a signal of its process', statusOf('S (sleeping)', NONE, '0000000000004000'), true],
  ['has ended', statusOf('Z (zombie)'), true],
  ['is being removed', statusOf('X (dead)'), true],
])('a process that %s', (_, status, expected) => {
  expect(isEnding(status)).toBe(expected);
});
