import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { overlapMs, type Interval } from '../../../src/contract/interval.js';

describe('the overlap of intervals', () => {
  const interval = fc
    .tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 300 }))
    .map(([start, length]): Interval => ({ start, end: start + length }));

  test('is what they have in common', () => {
    expect(
      overlapMs({ start: 100, end: 200 }, [
        { start: 0, end: 120 },
        { start: 150, end: 160 },
        { start: 190, end: 500 },
      ]),
    ).toBe(40);
  });

  test('is 0 for intervals that only touch', () => {
    expect(
      overlapMs({ start: 100, end: 200 }, [
        { start: 0, end: 100 },
        { start: 200, end: 300 },
      ]),
    ).toBe(0);
  });

  test('of two intervals is never longer than either, and the same both ways', () => {
    fc.assert(
      fc.property(interval, interval, (a, b) => {
        const overlap = overlapMs(a, [b]);
        expect(overlap).toBe(overlapMs(b, [a]));
        expect(overlap).toBeGreaterThanOrEqual(0);
        expect(overlap).toBeLessThanOrEqual(Math.min(a.end - a.start, b.end - b.start));
      }),
    );
  });
});
