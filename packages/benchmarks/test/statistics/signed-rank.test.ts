import { describe, expect, test } from '@jest/globals';

import { seededRandom } from '../../src/statistics/random.ts';
import { estimateRatio, estimateShift } from '../../src/statistics/signed-rank.ts';

/** The sum of twelve uniform numbers is nearly Gaussian, with variance 1. */
function gaussian(random: () => number): number {
  return Array.from({ length: 12 }, random).reduce((sum, value) => sum + value, -6);
}

describe('estimateShift', () => {
  test("matches Wilcoxon's table for six, ten and twenty values", () => {
    // Critical values at 5 %, two-sided: 0, 8 and 52; the bound is the next larger mean.
    for (const [count, rank] of [
      [6, 1],
      [10, 9],
      [20, 53],
    ] as const) {
      const values = Array.from({ length: count }, (_, index) => 2 ** index);
      const means = values.flatMap((value, index) => values.slice(index).map((other) => (value + other) / 2));
      means.sort((a, b) => a - b);
      expect(estimateShift(values)).toMatchObject({ low: means[rank - 1], high: means[means.length - rank] });
    }
  });

  test('gives no interval for fewer than six values', () => {
    expect(estimateShift([3, 3, 3, 3, 3])).toEqual({ value: 3 });
    expect(() => estimateShift([])).toThrow('got none');
  });

  test('changes little when a tenth of the values are outliers', () => {
    const random = seededRandom(3);
    const calm = Array.from({ length: 90 }, () => 5 + gaussian(random));
    const withOutliers = [...calm, ...Array.from({ length: 10 }, () => 1e6)];
    expect(Math.abs(estimateShift(withOutliers).value - estimateShift(calm).value)).toBeLessThan(0.3);
  });

  test('contains the true value in about 95 of 100 intervals, also for noise with heavy tails', () => {
    const random = seededRandom(11);
    const noises = [() => gaussian(random), () => gaussian(random) / (0.05 + random())];
    for (const noise of noises) {
      let held = 0;
      for (let run = 0; run < 400; run++) {
        const { low, high } = estimateShift(Array.from({ length: 24 }, () => 7 + noise()));
        if (low! <= 7 && high! >= 7) held++;
      }
      expect(held).toBeGreaterThanOrEqual(368);
      expect(held).toBeLessThanOrEqual(396);
    }
  });
});

test('a doubling and a halving cancel out', () => {
  expect(estimateRatio([Math.log(2), -Math.log(2)]).value).toBeCloseTo(1);
});
