import { describe, expect, test } from '@jest/globals';
import { defaultCombination, describeCombination } from '@loopwatch/test-support';

import { CORPUS_TIMEOUT_MS, expectAccuracy } from './expect-accuracy.ts';
import { readCorpus } from './expectation.ts';

// All programs on every Node major: corpus.calm.long.test.ts. Not half of them: the share that may miss is of all.

describe('The corpus of blocking programs', () => {
  test('has at least fifty programs', () => {
    expect(readCorpus().length).toBeGreaterThanOrEqual(50);
  });

  test(
    `${describeCombination(defaultCombination)}: at least 95 % have the right span, parent, culprit and cause`,
    () => expectAccuracy(defaultCombination),
    CORPUS_TIMEOUT_MS,
  );
});
