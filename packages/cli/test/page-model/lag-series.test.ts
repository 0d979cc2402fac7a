import { describe, expect, test } from '@jest/globals';

import { lagSeries } from '../../src/page/model/lag-series.js';
import { makeLag } from '../support/records.js';

describe('lagSeries', () => {
  test('merges what falls into one bin', () => {
    const series = lagSeries(
      [makeLag({ endMs: 1_100 }), makeLag({ endMs: 1_900, counts: [0, 0, 0, 100, 0] })],
      0,
      60_000,
    );
    expect(series.timesMs).toEqual([500]);
    expect(series.p99Ms[0]).toBeGreaterThan(100);
  });

  test('leaves a gap where nothing was measured for long', () => {
    const series = lagSeries([makeLag({ endMs: 1_000 }), makeLag({ startMs: 50_000, endMs: 51_000 })], 0, 60_000);
    expect(series.p50Ms.map((value) => value === null)).toEqual([false, true, false]);
  });

  test('needs no more than 400 bins and a bit for gaps', () => {
    const points = Array.from({ length: 5_000 }, (_, index) =>
      makeLag({ startMs: index * 1_000, endMs: (index + 1) * 1_000 }),
    );
    expect(lagSeries(points, 0, 5_000_000).timesMs.length).toBeLessThanOrEqual(401);
  });
});
