import { expect, test } from '@jest/globals';

import { flagsOf, flagsOfCommand } from '../../src/cli/platform/node-flags.js';

test.each([
  [['node', 'app.js', '--permission'], []],
  [
    ['node', '-r', './hook.js', '--inspect', 'app.js'],
    ['-r', './hook.js', '--inspect'],
  ],
  [
    ['node', '--inspect', '--', 'app.js', '--permission'],
    ['--inspect', '--'],
  ],
  [['node', '-', '--permission'], []],
])('the flags of %j are %j: the script follows', (words, flags) => {
  expect(flagsOf(words)).toEqual(flags);
});

test('the flags of a command are those of the Node.js in it', () => {
  expect(flagsOfCommand(['env', '-i', '/opt/bin/node', '--permission', 'app.js', '--watch'])).toEqual(['--permission']);
  expect(flagsOfCommand(['npm', 'start', '--permission'])).toEqual([]);
});
