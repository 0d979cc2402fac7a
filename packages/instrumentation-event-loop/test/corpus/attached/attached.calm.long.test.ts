import { describe, expect, test } from '@jest/globals';
import { combinationPerMajor, describeCombination } from '@loopwatch/test-support';

import { CORPUS_TIMEOUT_MS, linesOf, REQUIRED_SHARE } from '../expect-accuracy.ts';
import { readCorpus } from '../expectation.ts';
import { runAttached } from './run-attached.ts';

describe('loopwatch attach, while the programs of the corpus run', () => {
  test.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
    '%s: at least 95 % of the blocks have the right function, line, cause and request',
    async (_label, combination) => {
      const judgements = await runAttached(combination, readCorpus());
      const missed = judgements.filter(({ misses }) => misses.length > 0);
      expect(missed.length > judgements.length * (1 - REQUIRED_SHARE) ? linesOf(missed) : []).toEqual([]);
    },
    3 * CORPUS_TIMEOUT_MS,
  );
});
