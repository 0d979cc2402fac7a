import { expect, test } from '@jest/globals';

import { undecodedArgument } from '../../src/cli/program/undecoded.js';

test.each([[['node']], [['node', 'größe.js', '']]])('nothing is said of %j', (command) => {
  expect(undecodedArgument(command)).toBeUndefined();
});

test('of arguments that were not UTF-8, one sentence is said', () => {
  const decoded = Buffer.from([0x61, 0xff]).toString();
  expect(undecodedArgument(['node', decoded, decoded])).toMatch(/^An argument contains U\+FFFD: /);
});
