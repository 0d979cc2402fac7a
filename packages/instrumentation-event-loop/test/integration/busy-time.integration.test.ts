import { describe, expect, test } from '@jest/globals';
import { describeCombination } from '@loopwatch/test-support';

import { expectNothingMissing, expectShares, sharesOf } from './busy-support.ts';
import { node24 } from './thread-support.ts';

describe(describeCombination(node24), () => {
  test('the time of requests and functions of a loop without blocks is what the program measures itself', async () => {
    const result = await sharesOf(node24, 'native', 800);
    expectShares(result, 5);
    expectNothingMissing(result);
    // The loop's clock is exact: what Node.js measures is the same.
    expect(result.busyMs / result.activeMs).toBeGreaterThan(0.9);
    expect(result.busyMs / result.activeMs).toBeLessThan(1.02);
  });
});
