import { describe, expect, test } from '@jest/globals';

import { expectNothingMissing, expectShares, sharesOf } from './busy-support.ts';
import { node24 } from './thread-support.ts';

describe('On Node.js 24', () => {
  test('the time of requests and functions of a loop without blocks is what the program measures itself', async () => {
    const result = await sharesOf(node24, 'native', 800);
    // Of 800 answers, each of eight shares is wrong by more than 8 points in one of 100,000 runs, and by more than 5 in one of
    // 30 runs. How often they are wrong by more than 5: busy-time.long.test.ts.
    expectShares(result, 8);
    expectNothingMissing(result);
    // The loop's clock is exact: what Node.js measures is the same.
    expect(result.busyMs / result.activeMs).toBeGreaterThan(0.9);
    expect(result.busyMs / result.activeMs).toBeLessThan(1.02);
  });
});
