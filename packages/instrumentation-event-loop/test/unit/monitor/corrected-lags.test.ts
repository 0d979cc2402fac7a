import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { correctedLags } from '../../../src/monitor/pending-lags.js';

const lag = fc.double({ min: 0.001, max: 100_000, noNaN: true });
const interval = fc.double({ min: 5, max: 50, noNaN: true });

describe('corrected lags', () => {
  test('a heartbeat in time is one sample of 0', () => {
    expect(correctedLags(0, 25)).toEqual([0]);
  });

  test('a heartbeat that is less than an interval late is one sample', () => {
    expect(correctedLags(24.5, 25)).toEqual([24.5]);
  });

  test('a heartbeat that is exactly one interval late is one sample', () => {
    expect(correctedLags(25, 25)).toEqual([25]);
  });

  test('each missed interval adds a sample: the rest of the block from there', () => {
    expect(correctedLags(100, 25)).toEqual([100, 75, 50, 25]);
  });

  test('the samples of a block of 3 s stand for 3 s', () => {
    const lags = correctedLags(3000, 25);
    expect(lags.length * 25).toBe(3000);
    // Of the 3 s, the events of the first 2 s waited for more than 1 s.
    expect(lags.filter((lagMs) => lagMs > 1000).length * 25).toBe(2000);
    // On average an event that arrives at any moment of the block waits for half of it.
    expect(mean(lags)).toBeCloseTo(1500, -2);
  });

  test('a value that is no duration is one sample of 0', () => {
    expect(correctedLags(NaN, 25)).toEqual([0]);
    expect(correctedLags(-700, 25)).toEqual([0]);
  });

  test('an hour has no more samples than the limit, in the same distribution', () => {
    const lags = correctedLags(3_600_000, 25, 1000);
    expect(lags.length).toBeLessThanOrEqual(1001);
    expect(mean(lags)).toBeCloseTo(1_800_000, -4);
    expect(lags.filter((lagMs) => lagMs > 1_800_000).length / lags.length).toBeCloseTo(0.5, 2);
  });
});

describe('for any block', () => {
  test('the number of samples times the interval is its length, to one interval', () => {
    fc.assert(
      fc.property(lag, interval, (lagMs, intervalMs) => {
        const lags = correctedLags(lagMs, intervalMs, Infinity);
        const coveredMs = lags.length * intervalMs;
        expect(coveredMs).toBeGreaterThan(lagMs - 1e-6);
        expect(coveredMs).toBeLessThan(lagMs + intervalMs + 1e-6);
      }),
    );
  });

  test('no wait is longer than the block, none is 0, and each is shorter than the one before', () => {
    fc.assert(
      fc.property(lag, interval, (lagMs, intervalMs) => {
        const lags = correctedLags(lagMs, intervalMs);
        expect(lags[0]).toBe(lagMs);
        expect(lags.every((waitMs, i) => waitMs > 0 && (i === 0 || waitMs < lags[i - 1]!))).toBe(true);
      }),
    );
  });

  test('the number of samples is bounded', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), interval, (lagMs, intervalMs) => {
        // One more for the remainder of the division.
        expect(correctedLags(lagMs, intervalMs, 500).length).toBeLessThanOrEqual(501);
      }),
    );
  });

  test('two blocks have as many samples as one of the same total length, to one interval', () => {
    fc.assert(
      fc.property(lag, lag, interval, (first, second, intervalMs) => {
        const count = (lagMs: number): number => correctedLags(lagMs, intervalMs, Infinity).length;
        expect(Math.abs(count(first) + count(second) - count(first + second))).toBeLessThanOrEqual(1);
      }),
    );
  });
});

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
