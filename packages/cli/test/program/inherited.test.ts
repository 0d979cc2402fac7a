import { expect, test } from '@jest/globals';

import { type Descriptor, inheritedOf } from '../../src/cli/program/inherited.js';

/** `E` epoll, `f` file, `s` socket; another letter is a pipe, of which the small one reads; `-` is a gap. */
function numbersOf(text: string): number[] {
  const kinds: Readonly<Record<string, Descriptor['kind']>> = { E: 'none', f: 'file', s: 'other' };
  return inheritedOf(
    Array.from(text).flatMap((letter, index) => {
      if (letter === '-') return [];
      const small = letter.toLowerCase();
      const kind = kinds[letter] ?? (letter === small ? 'reader' : 'writer');
      return [{ number: index, kind, inode: letter in kinds ? 1000 + index : small.charCodeAt(0) }];
    }),
  );
}

test.each([
  ['none', 'sssEaAbBEsEcCE', []],
  ['what is below the first of Node.js, also both ends of a pipe', 'sssfjJsEaAbBEsE', [3, 4, 5, 6]],
  ['files and single ends of pipes in gaps', 'sssEaAfEpbBEpWsE', [6, 8, 12, 13]],
  ['no file that was opened after the start of Node.js', 'sssEaAbBEsEcCEsEf', []],
  ['more than 15 without a gap', `sss${'f'.repeat(15)}EaA`, Array.from({ length: 15 }, (_, index) => index + 3)],
])('the descriptors of the caller are %s', (_which, open, expected) => {
  expect(numbersOf(open)).toEqual(expected);
});
