import timers from 'node:timers';
import { expect, test } from '@jest/globals';
import { clockOffset, SHARED_CLOCK_OFFSET, sharedNow, threadClock } from '../../../src/contract/clock.js';

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

test("the clock that all threads share runs as the thread's own", () => {
  expect(sharedNow() - threadClock.now()).toBeCloseTo(SHARED_CLOCK_OFFSET, -2);
  const before = Number(process.hrtime.bigint()) / 1e6;
  const shared = sharedNow();
  const after = Number(process.hrtime.bigint()) / 1e6;
  // Both clocks are rounded to the microsecond or less.
  expect(shared).toBeGreaterThan(before - 0.1);
  expect(shared).toBeLessThan(after + 0.1);
});

test('time in the poll phase is idle time of the loop', async () => {
  const before = threadClock.idleTime();
  for (let i = 0; i < 5; i++) await new Promise((resolve) => timers.setTimeout(resolve, 10));
  expect(threadClock.idleTime()).toBeGreaterThan(before);
});
