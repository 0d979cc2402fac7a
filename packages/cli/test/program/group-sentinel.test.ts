import { expect, test } from '@jest/globals';

import { pendingSignals } from '../../src/cli/program/group-sentinel.js';

function statusOf(state: string, ofProcess: string): string {
  return `Name:\tcat\nState:\t${state}\nSigPnd:\t0000000000000100\nShdPnd:\t${ofProcess}\nSigIgn:\t0000000000004000\n`;
}

test.each([
  ['waits', statusOf('S (sleeping)', '0000000000000000'), []],
  ['is about to end by SIGTERM', statusOf('R (running)', '0000000000004000'), ['SIGTERM']],
  ['has ended by SIGINT', statusOf('Z (zombie)', '0000000000000002'), ['SIGINT']],
  ['has got three signals', statusOf('Z (zombie)', '0000000000000803'), ['SIGHUP', 'SIGUSR2', 'SIGINT']],
  ['has got another signal', statusOf('S (sleeping)', '0000000000010000'), []],
  ['is unknown', '', []],
])('the signals of a process that %s', (_, status, expected) => {
  expect(pendingSignals(status)).toEqual(expected);
});
