import { expect, test } from '@jest/globals';
import { clockOffset } from '../../../src/contract/clock.js';

test('a thread that loses the CPU between two readings is not taken for an old one', () => {
  let time = 5000;
  let reading = 0;
  const shared = (): number => time;
  const now = (): number => {
    if (++reading % 3 === 1) time += 27; // the other threads have the CPU
    return time - 4000;
  };
  expect(clockOffset(shared, now)).toBe(4000);
});
