import { describe, expect, test } from '@jest/globals';
import { combinationPerMajor, describeCombination } from '@loopwatch/test-support';

import { readCorpus } from './expectation.ts';
import { isHit, isResourceHit, runCorpus } from './run-corpus.ts';
import type { Judgement } from './run-corpus.ts';

const requiredShare = 0.95;
const corpus = readCorpus();

/** Every miss in one readable line, so that a failure says what to look at. */
function linesOf(pendingBlocks: readonly Judgement[]): string[] {
  return pendingBlocks.flatMap(({ expectation, misses }) =>
    misses.map(({ aspect, expected, got }) => `${expectation.program} ${aspect}: expected ${expected}, got ${got}`),
  );
}

describe('The corpus of blocking programs', () => {
  test('has at least fifty programs', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(50);
  });

  test.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
    '%s: at least 95 % have the right span, parent, culprit and cause',
    async (_label, combination) => {
      const pendingBlocks = await runCorpus(combination, corpus);
      const missed = pendingBlocks.filter((verdict) => !isHit(verdict));
      const withoutResource = pendingBlocks.filter((verdict) => !isResourceHit(verdict));
      const allowed = Math.floor(pendingBlocks.length * (1 - requiredShare));

      // The lines first: they are what one wants to read when it fails.
      expect(missed.length > allowed ? linesOf(missed) : []).toEqual([]);
      expect(withoutResource.length > allowed ? linesOf(withoutResource) : []).toEqual([]);
    },
    300_000,
  );
});
