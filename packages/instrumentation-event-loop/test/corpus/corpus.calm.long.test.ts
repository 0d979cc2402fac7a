import { describe, test } from '@jest/globals';
import { combinationPerMajor, describeCombination } from '@loopwatch/test-support';

import { CORPUS_TIMEOUT_MS, expectAccuracy } from './expect-accuracy.ts';

describe('The corpus of blocking programs', () => {
  test.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
    '%s: at least 95 % have the right span, parent, culprit and cause',
    (_label, combination) => expectAccuracy(combination),
    CORPUS_TIMEOUT_MS,
  );
});
