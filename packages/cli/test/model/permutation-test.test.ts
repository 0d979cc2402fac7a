import { describe, expect, test } from '@jest/globals';

import { permutationTest, smallestPValue } from '../../src/model/compare/permutation-test.js';

describe('permutationTest', () => {
  test('gives a difference without overlap the smallest probability of all assignments', () => {
    const [row] = permutationTest({ base: [[1, 2, 3, 2, 1]], head: [[90, 91, 92, 91, 90]] });
    expect(row).toEqual({ larger: 1 / 252, smaller: 1 });
    expect(smallestPValue(5, 5)).toBe(1 / 252);
  });

  test('is symmetrical: exchanged sides exchange the probabilities', () => {
    const low = [[10, 12, 9, 14]];
    const high = [[13, 15, 11, 16]];
    const [there] = permutationTest({ base: low, head: high });
    const [back] = permutationTest({ base: high, head: low });
    expect(back).toEqual({ larger: there!.smaller, smaller: there!.larger });
  });

  test('says nothing about rows that are equal in all runs', () => {
    expect(permutationTest({ base: [[5, 5, 5]], head: [[5, 5, 5]] })).toEqual([{ larger: 1, smaller: 1 }]);
  });

  test('says nothing with one run on each side', () => {
    const [row] = permutationTest({ base: [[1]], head: [[900]] });
    expect(row!.larger).toBe(0.5);
  });

  test('demands more of each row when there are more of them', () => {
    const base = [[10, 12, 14, 16]];
    const head = [[15, 17, 19, 21]];
    const alone = permutationTest({ base, head })[0]!.larger;
    const noise = Array.from({ length: 10 }, (_, row) => [3, 9, 4, 8].map((value) => value + ((row * 7) % 5)));
    const among = permutationTest({
      base: [...base, ...noise],
      head: [...head, ...noise.map((row) => [...row].reverse())],
    });
    expect(among[0]!.larger).toBeGreaterThan(alone);
  });

  test('samples the assignments of many runs, the same ones each time', () => {
    const base = [Array.from({ length: 12 }, (_, run) => 100 + run)];
    const head = [Array.from({ length: 12 }, (_, run) => 180 + run)];
    const [row] = permutationTest({ base, head });
    expect(row!.larger).toBeLessThan(0.001);
    expect(permutationTest({ base, head })).toEqual([row]);
  });
});
