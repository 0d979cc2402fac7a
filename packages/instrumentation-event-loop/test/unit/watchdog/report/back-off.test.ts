import { describe, expect, test } from '@jest/globals';
import { retryDelay } from '../../../../src/watchdog/report/back-off.js';

test('each failure doubles the delay, up to a minute', () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 1000].map((failures) => retryDelay(failures, 0, 0));
  expect(delays).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

test('jitter takes up to half of it', () => {
  expect(retryDelay(3, 0, 1)).toBe(4000);
  expect(retryDelay(3, 0, 0.5)).toBe(6000);
});

describe('what the receiver asks for', () => {
  test('is the least delay', () => {
    expect(retryDelay(1, 30_000, 0.5)).toBeGreaterThanOrEqual(30_000);
    expect(retryDelay(6, 30_000, 0)).toBe(60_000);
  });

  test('has a limit', () => {
    expect(retryDelay(1, Number.MAX_VALUE, 1)).toBeLessThan(400_000);
    expect(retryDelay(1, Infinity, 1)).toBeLessThan(400_000);
  });
});
