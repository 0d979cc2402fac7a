import { describe, expect, test } from '@jest/globals';

import { finalOutcome, KILLED } from '../../src/cli/program/outcome.js';

describe('how a run ends', () => {
  const none = { blockedTooLong: false, isIncomplete: false };

  test.each([
    ['as the program that succeeded', { code: 0 }, none, { code: 0 }],
    ['with 3 after a block that was too long', { code: 0 }, { ...none, blockedTooLong: true }, { code: 3 }],
    ['with 1 if a file could not be written', { code: 0 }, { ...none, isIncomplete: true }, { code: 1 }],
    ['with 3 if both', { code: 0 }, { blockedTooLong: true, isIncomplete: true }, { code: 3 }],
    [
      'as the program that failed, whatever else',
      { code: 7 },
      { blockedTooLong: true, isIncomplete: true },
      { code: 7 },
    ],
    [
      'by the signal of a crash',
      { signal: 'SIGSEGV' },
      { blockedTooLong: true, isIncomplete: true },
      { signal: 'SIGSEGV' },
    ],
    ['with 3 for a server that was stopped', { signal: 'SIGTERM' }, { ...none, blockedTooLong: true }, { code: 3 }],
    [
      'by the signal that stopped a server',
      { signal: 'SIGTERM' },
      { ...none, isIncomplete: true },
      { signal: 'SIGTERM' },
    ],
    [
      'with 124 where --kill-after has ended it, whatever else',
      KILLED,
      { blockedTooLong: true, isIncomplete: true },
      { code: 124 },
    ],
    ['with the code of a stopped server', { code: 143 }, { ...none, isIncomplete: true }, { code: 143 }],
  ] as const)('%s', (_how, program, faults, outcome) => {
    expect(finalOutcome(program, faults)).toEqual(outcome);
  });
});
