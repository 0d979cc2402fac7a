import timers from 'node:timers';
import { expect, test } from '@jest/globals';
import { clockOffset, SHARED_CLOCK_OFFSET, sharedNow, threadClock } from '../../../src/contract/clock.js';

test('the clock offset is exact although the thread loses the CPU between two readings', () => {
  let time = 5000;
  let reading = 0;
  const shared = (): number => time;
  const now = (): number => {
    if (++reading % 3 === 1) time += 27; // the other threads have the CPU
    return time - 4000;
  };
  expect(clockOffset(shared, now)).toBe(4000);
});

test('the shared clock runs like the clock of the thread', () => {
  expect(sharedNow() - threadClock.now()).toBeCloseTo(SHARED_CLOCK_OFFSET, -2);
  const before = Number(process.hrtime.bigint()) / 1e6;
  const shared = sharedNow();
  const after = Number(process.hrtime.bigint()) / 1e6;
  // Both clocks are rounded to the microsecond or less.
  expect(shared).toBeGreaterThan(before - 0.1);
  expect(shared).toBeLessThan(after + 0.1);
});

test('time in the poll phase counts as idle time', async () => {
  const before = threadClock.idleTime();
  for (let i = 0; i < 5; i++) await new Promise((resolve) => timers.setTimeout(resolve, 10));
  expect(threadClock.idleTime()).toBeGreaterThan(before);
});
