import { describe, expect, test } from '@jest/globals';

import { bucketOf, mergeHistograms, quantile, summariseLag } from '../../src/model/delays/histogram.js';
import { makeLag } from '../support/records.js';

describe('bucketOf', () => {
  test('counts a value that equals a bound in the bucket below the bound, as OpenTelemetry does', () => {
    expect([0, 1, 1.5, 10, 11].map((value) => bucketOf([1, 10], value))).toEqual([0, 0, 1, 1, 2]);
  });
});

describe('quantile', () => {
  const histogram = { boundsMs: [10, 100], counts: [50, 50, 0] };

  test('interpolates within the bucket', () => {
    expect(quantile(histogram, 0.25)).toBeCloseTo(5);
    expect(quantile(histogram, 0.75)).toBeCloseTo(55);
  });

  test('does not exceed the maximum', () => {
    const limited = { ...histogram, maxMs: 20 };
    expect(quantile(limited, 0.99)).toBeLessThanOrEqual(20);
    expect(quantile(limited, 1)).toBe(20);
  });

  test('is the lower bound if the samples exceed all bounds and the maximum is unknown', () => {
    expect(quantile({ boundsMs: [10], counts: [0, 5] }, 0.5)).toBe(10);
  });

  test('grows with the share', () => {
    const values = Array.from({ length: 101 }, (_, percent) => quantile({ ...histogram, maxMs: 90 }, percent / 100));
    expect(values).toEqual([...values].sort((a, b) => a - b));
  });
});

describe('mergeHistograms', () => {
  test('adds up the buckets and keeps the highest maximum', () => {
    const merged = mergeHistograms([makeLag({ maxMs: 300 }), makeLag({ maxMs: 700 })]);
    expect(merged).toMatchObject({ count: 200, counts: [180, 10, 8, 2, 0], maxMs: 700 });
  });

  test('does not shorten the lag of points with other bounds', () => {
    const merged = mergeHistograms([
      makeLag({ counts: [0, 0, 0, 0, 0] }),
      makeLag({ boundsMs: [50, 500], counts: [1, 1, 0] }),
    ]);
    expect(merged.counts).toEqual([0, 0, 1, 1, 0]);
  });
});

describe('summariseLag', () => {
  test('is undefined if nothing was measured', () => {
    expect(summariseLag([])).toBeUndefined();
    expect(summariseLag([makeLag({ counts: [0, 0, 0, 0, 0] })])).toBeUndefined();
  });

  test('takes the bound of the highest bucket as the maximum if none is reported', () => {
    expect(summariseLag([makeLag()])?.maxMs).toBe(1000);
  });
});
