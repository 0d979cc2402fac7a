import { expect, test } from '@jest/globals';

import { seededRandom, shuffled } from '../../src/statistics/random.ts';

test('the same seed gives the same order, another seed another', () => {
  const items = Array.from({ length: 20 }, (_, index) => index);
  const order = shuffled(items, seededRandom(7));
  expect(shuffled(items, seededRandom(7))).toEqual(order);
  expect(shuffled(items, seededRandom(8))).not.toEqual(order);
  expect([...order].sort((a, b) => a - b)).toEqual(items);
});

test('every item takes every place about equally often', () => {
  const random = seededRandom(1);
  const counts = [0, 0, 0, 0];
  for (let run = 0; run < 4000; run++) counts[shuffled([0, 1, 2, 3], random).indexOf(0)]!++;
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
});
