import { expect, test } from '@jest/globals';

import type { Miss } from './judge.ts';
import { isAbsent, isHit, isMarkedGuess } from './run-corpus.ts';

function outcomeOf(...misses: readonly Miss[]): string {
  const judgement = { misses };
  if (isHit(judgement)) return 'right';
  if (isMarkedGuess(judgement)) return 'marked';
  return isAbsent(judgement) ? 'absent' : 'wrong';
}

const guess: Miss = { aspect: 'culprit', expected: 'a', got: 'b (./a.cjs:1)', isMarked: true };

test.each<[string, ...Miss[]]>([
  ['right'],
  ['right', { aspect: 'resource', expected: 'Timeout', got: 'none' }],
  ['marked', guess],
  ['absent', { aspect: 'cause', expected: 'native', got: 'unknown' }],
  ['absent', { aspect: 'culprit', expected: 'a', got: 'undefined (no file:undefined)' }, guess],
  ['absent', { aspect: 'parent', expected: 'request', got: 'none' }],
  ['wrong', { aspect: 'cause', expected: 'native', got: 'javascript' }, guess],
  ['wrong', { ...guess, isMarked: false }],
  ['wrong', { aspect: 'span', expected: 'one over 0–400 ms', got: 'none' }],
])('a program is %s by its misses', (outcome, ...misses) => {
  expect(outcomeOf(...misses)).toBe(outcome);
});
