import { describe, expect, test } from '@jest/globals';
import { combinationPerMajor, describeCombination } from '@loopwatch/test-support';

import { readCorpus } from './expectation.ts';
import { isHit, isResourceHit, runCorpus } from './run-corpus.ts';
import type { Judgement } from './run-corpus.ts';

const requiredShare = 0.95;
const corpus = readCorpus();

/** One readable line for each miss, for the message of a failed test. */
function linesOf(judgements: readonly Judgement[]): string[] {
  return judgements.flatMap(({ expectation, misses }) =>
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
      const judgements = await runCorpus(combination, corpus);
      const missed = judgements.filter((judgement) => !isHit(judgement));
      const withoutResource = judgements.filter((judgement) => !isResourceHit(judgement));
      const allowed = Math.floor(judgements.length * (1 - requiredShare));

      // Compares lines and not counts, so that a failure shows them.
      expect(missed.length > allowed ? linesOf(missed) : []).toEqual([]);
      expect(withoutResource.length > allowed ? linesOf(withoutResource) : []).toEqual([]);
    },
    300_000,
  );
});
