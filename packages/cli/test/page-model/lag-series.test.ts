import { describe, expect, test } from '@jest/globals';

import { lagSeries } from '../../src/page/model/lag-series.js';
import { makeLag } from '../support/records.js';

describe('lagSeries', () => {
  test('merges the points of a bin', () => {
    const series = lagSeries(
      [makeLag({ endMs: 1_100 }), makeLag({ endMs: 1_900, counts: [0, 0, 0, 100, 0] })],
      0,
      60_000,
    );
    expect(series.timesMs).toEqual([500]);
    expect(series.p99Ms[0]).toBeGreaterThan(100);
  });

  test('interrupts the line during a long pause', () => {
    const series = lagSeries([makeLag({ endMs: 1_000 }), makeLag({ startMs: 50_000, endMs: 51_000 })], 0, 60_000);
    expect(series.p50Ms.map((value) => value === null)).toEqual([false, true, false]);
  });

  test('has at most 400 bins and the interruptions', () => {
    const points = Array.from({ length: 5_000 }, (_, index) =>
      makeLag({ startMs: index * 1_000, endMs: (index + 1) * 1_000 }),
    );
    expect(lagSeries(points, 0, 5_000_000).timesMs.length).toBeLessThanOrEqual(401);
  });
});
