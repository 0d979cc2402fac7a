import { describe, expect, test } from '@jest/globals';

import { rankCulprits } from '../../src/model/blocks/culprits.js';
import { functionOfBlock, functionOfCulprit, isGuess } from '../../src/model/text/guess.js';
import { makeBlock } from '../support/records.js';

describe('a culprit that was on the stack when a native call returned', () => {
  test('is marked as a guess', () => {
    expect(functionOfBlock(makeBlock({ stackQuality: 'post_native' }))).toBe('≈ slow');
    expect(functionOfBlock(makeBlock({ stackQuality: 'live' }))).toBe('slow');
  });

  test('is no guess if there is none', () => {
    const { culprit: _culprit, ...nameless } = makeBlock({ stackQuality: 'post_native' });
    expect([isGuess(nameless), functionOfBlock(nameless)]).toEqual([false, undefined]);
  });

  test.each([
    ['most of its time is', 300, 200, '≈ slow'],
    ['less than half of its time is', 200, 300, 'slow'],
  ])('is marked in a ranking if %s such', (_when, guessedMs, liveMs, name) => {
    const [culprit] = rankCulprits([
      makeBlock({ id: 'a', stackQuality: 'post_native', durationMs: guessedMs }),
      makeBlock({ id: 'b', stackQuality: 'live', durationMs: liveMs / 2 }),
      makeBlock({ id: 'c', stackQuality: 'live', durationMs: liveMs / 2 }),
    ]);
    expect(functionOfCulprit(culprit!)).toBe(name);
  });
});
