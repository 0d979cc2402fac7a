import { describe, expect, test } from '@jest/globals';
import { combinations, defaultCombination, describeCombination } from '@loopwatch/test-support';

import { CORPUS_TIMEOUT_MS, expectAccuracy } from './expect-accuracy.ts';
import { readCorpus } from './expectation.ts';

// All programs on every Node major: corpus.calm.long.test.ts. The judgement of all: the replay of test/evidence.
const ofRun = readCorpus().filter((_, i) => combinations.length === 1 || i % 2 === 0);

describe('The corpus of blocking programs', () => {
  test('has at least fifty programs', () => {
    expect(readCorpus().length).toBeGreaterThanOrEqual(50);
  });

  test(
    `${describeCombination(defaultCombination)}: at least 95 % have the right span, parent, culprit and cause`,
    () => expectAccuracy(defaultCombination, ofRun),
    CORPUS_TIMEOUT_MS,
  );
});
