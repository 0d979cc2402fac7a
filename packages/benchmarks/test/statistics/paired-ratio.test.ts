import { describe, expect, test } from '@jest/globals';

import { pairedRatio } from '../../src/statistics/paired-ratio.ts';

describe('pairedRatio', () => {
  test('is exact when every pair has the same ratio, even if the pairs differ in size', () => {
    const { value, low, high } = pairedRatio([20, 400, 6], [10, 200, 3]);
    expect(value).toBeCloseTo(2);
    expect(low).toBeCloseTo(2);
    expect(high).toBeCloseTo(2);
  });

  test('gives a doubling and a halving the same weight', () => {
    expect(pairedRatio([2, 1], [1, 2]).value).toBeCloseTo(1);
  });

  test("gives Student's interval for two pairs", () => {
    // Logarithms 0 and 0.2: mean 0.1, standard error 0.1, 12.706 of them at one degree of freedom.
    const { value, low, high } = pairedRatio([1, Math.exp(0.2)], [1, 1]);
    expect(Math.log(value)).toBeCloseTo(0.1);
    expect(Math.log(low!)).toBeCloseTo(0.1 - 1.2706);
    expect(Math.log(high!)).toBeCloseTo(0.1 + 1.2706);
  });

  test('gives no interval for a single pair', () => {
    expect(pairedRatio([3], [2])).toEqual({ value: expect.closeTo(1.5) });
  });

  test('rejects series that do not form pairs', () => {
    expect(() => pairedRatio([1, 2], [1])).toThrow('got 2 and 1');
    expect(() => pairedRatio([], [])).toThrow('above 0');
  });
});
