import { describe, expect, test } from '@jest/globals';
import { defaultCombination, describeCombination } from '@loopwatch/test-support';

import { CORPUS_TIMEOUT_MS, expectAsAccepted } from './expect-accuracy.ts';
import { readCorpus } from './expectation.ts';

// Every third program. All of them on every Node major: corpus.calm.long.test.ts. The recordings of all are judged again by
// evidence/replay.test.ts.

describe('The corpus of blocking programs', () => {
  test('has at least fifty programs', () => {
    expect(readCorpus().length).toBeGreaterThanOrEqual(50);
  });

  test(
    `${describeCombination(defaultCombination)}: what had the right span, parent, culprit and cause has them still`,
    () =>
      expectAsAccepted(
        defaultCombination,
        readCorpus().filter((_, index) => index % 3 === 1),
      ),
    CORPUS_TIMEOUT_MS,
  );
});
