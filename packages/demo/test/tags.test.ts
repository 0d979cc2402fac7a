import { describe, expect, test } from '@jest/globals';

import { createRandom } from '../src/shared/random.js';
import { isValidTag, isValidTagLinear } from '../src/tags/tags.js';

describe('the tag patterns', () => {
  test.each([
    ['a', true],
    ['a-b_c', true],
    ['release-2026', true],
    ['ends-', true],
    ['', false],
    ['-starts', false],
    ['two--dashes', false],
    ['Upper', false],
    ['dot.', false],
  ])('agree on %j', (tag, isValid) => {
    expect(isValidTag(tag)).toBe(isValid);
    expect(isValidTagLinear(tag)).toBe(isValid);
  });

  test('agree on random texts', () => {
    const random = createRandom(5);
    for (let round = 0; round < 5000; round++) {
      const tag = Array.from({ length: random.integer(10) }, () => random.pick(['a', 'b', '1', '-', '_', '.'])).join(
        '',
      );
      expect({ tag, isValid: isValidTagLinear(tag) }).toEqual({ tag, isValid: isValidTag(tag) });
    }
  });

  test('only the fixed one stays quick on a long tag with an invalid end', () => {
    const startedAt = performance.now();
    isValidTag(`${'a'.repeat(22)}.`);
    const backtrackingMs = performance.now() - startedAt;
    const linearStartedAt = performance.now();
    isValidTagLinear(`${'a'.repeat(10_000)}.`);
    expect(performance.now() - linearStartedAt).toBeLessThan(backtrackingMs);
  });
});
