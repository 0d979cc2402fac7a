import { expect, test } from '@jest/globals';

import { meanWithInterval, seededRandom } from '../src/statistics.ts';

test('the interval of a mean is that of Student', () => {
  const { value, low, high } = meanWithInterval([1, 2, 3]);
  expect(value).toBe(2);
  // 4.303 × 1 / √3
  expect(high - value).toBeCloseTo(2.49, 1);
  expect(value - low).toBeCloseTo(high - value);
});

test('one value has no interval', () => {
  expect(() => meanWithInterval([1])).toThrow('Expected at least two values, got 1.');
});

test('a value that is not finite is an error, and no result', () => {
  expect(() => meanWithInterval([1, NaN, 2])).toThrow('Expected finite values, got NaN.');
});

test('the same seed gives the same numbers between 0 and 1', () => {
  const [first, second] = [seededRandom(7), seededRandom(7)];
  const numbers = Array.from({ length: 100 }, first);
  expect(numbers).toEqual(Array.from({ length: 100 }, second));
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  expect(numbers.filter((number) => number < 0.5).length).toBeGreaterThan(30);
});
