import { expect, test } from '@jest/globals';

import { medianInterval } from '../src/statistics.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

test('the interval of a median has the ranks of the sign test at 99 %', () => {
  expect(medianInterval(numbers(8))).toEqual([1, 8]);
  expect(medianInterval(numbers(12).reverse())).toEqual([2, 11]);
  expect(medianInterval(numbers(60))).toEqual([20, 41]);
});

test('a series of fewer than eight values has no such interval', () => {
  expect(() => medianInterval(numbers(7))).toThrow('Expected a series with at least eight values, got 7.');
});
