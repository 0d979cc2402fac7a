import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  advance,
  changeSettings,
  newSchedule,
  sampleInterval,
  STALLED_AFTER_MS,
  type Due,
  type StallSchedule,
} from '../../../../src/watchdog/scan/schedule.js';

/** Ages at which a stall that is checked every `checkMs` is reported to receivers. */
function ages(hangAfterMs: number, stallMs: number, checkMs: number): { gauges: number[]; hangs: number[] } {
  const { gauge: gauges, hang: hangs } = dueAges(newSchedule({ hangAfterMs, soFarAfterMs: 0 }), stallMs, checkMs);
  return { gauges, hangs };
}

function dueAges(first: StallSchedule, stallMs: number, checkMs: number): Due<number[]> {
  const all: Due<number[]> = { gauge: [], hang: [], length: [], soFar: [] };
  let schedule = first;
  for (let ageMs = 0; ageMs <= stallMs; ageMs += checkMs) {
    const { due, next } = advance(schedule, ageMs);
    for (const key of ['gauge', 'hang', 'length', 'soFar'] as const) if (due[key]) all[key].push(ageMs);
    schedule = next;
  }
  return all;
}

function samplesOf(blockMs: number, intervalMs: number): number {
  let count = 0;
  for (let ageMs = 0; ageMs < blockMs; ageMs += sampleInterval(ageMs, intervalMs)) count++;
  return count;
}

test('a young block is sampled as often as the option says', () => {
  expect(sampleInterval(0, 10)).toBe(10);
  expect(sampleInterval(200, 10)).toBe(10);
});

test('an older block is sampled less often, and one of minutes once a second', () => {
  expect(sampleInterval(1000, 10)).toBe(50);
  expect(sampleInterval(600_000, 10)).toBe(1000);
});

test('a block of 20 s has a bounded number of samples', () => {
  // Dense for 200 ms, then a factor of 1.05 from each to the next.
  expect(samplesOf(20_000, 10)).toBeLessThan(20 + Math.log(100) / Math.log(1.05) + 2);
});

test('each doubling of a block has the same few samples, until they come once a second', () => {
  const costs = [400, 800, 1600, 3200, 6400].map((ms) => samplesOf(2 * ms, 10) - samplesOf(ms, 10));
  expect(Math.max(...costs) - Math.min(...costs)).toBeLessThanOrEqual(2);
});

test('the interval never shrinks while a block lasts, and stays between the option and one second', () => {
  const age = fc.double({ min: 0, max: 1e9, noNaN: true });
  const interval = fc.double({ min: 1, max: 900, noNaN: true });
  fc.assert(
    fc.property(age, age, interval, (a, b, intervalMs) => {
      const [younger, older] = a < b ? [a, b] : [b, a];
      const early = sampleInterval(younger, intervalMs);
      const late = sampleInterval(older, intervalMs);
      expect(late).toBeGreaterThanOrEqual(early);
      expect(early).toBeGreaterThanOrEqual(intervalMs);
      expect(late).toBeLessThanOrEqual(1000);
    }),
  );
});

test('an option above a second is kept: no thread is sampled more often than configured', () => {
  expect(sampleInterval(0, 5000)).toBe(5000);
});

describe('the schedule of a stall', () => {
  test('the hang is reported at its threshold, and then at doubling ages', () => {
    expect(ages(5000, 45_000, 10).hangs).toEqual([5000, 10_000, 20_000, 40_000]);
  });

  test('the gauge is sent after one second and then every two', () => {
    expect(ages(5000, 10_000, 10).gauges).toEqual([1000, 3000, 5000, 7000, 9000]);
  });

  test('a block of less than a second has neither a gauge nor a hang report', () => {
    expect(ages(5000, 999, 1)).toEqual({ gauges: [], hangs: [] });
  });

  test('a hang threshold below a second is kept', () => {
    expect(ages(200, 1000, 10).hangs).toEqual([200, 400, 800]);
  });

  test('a hang threshold of 0 (off) reports nothing, however long the block', () => {
    expect(ages(0, 600_000, 100)).toEqual({ gauges: [], hangs: [] });
  });

  test('the block so far is written from its threshold on at doubling ages, and its length every 100 ms', () => {
    const { length, soFar, gauge, hang } = dueAges(newSchedule({ hangAfterMs: 0, soFarAfterMs: 100 }), 850, 10);
    expect(soFar).toEqual([100, 200, 400, 800]);
    expect(length).toEqual([100, 200, 300, 400, 500, 600, 700, 800]);
    expect([...gauge, ...hang]).toEqual([]);
  });

  test('where both are wanted, each has its own ages, and the block so far those of the hang as well', () => {
    const { length, ...reports } = dueAges(newSchedule({ hangAfterMs: 5000, soFarAfterMs: 4000 }), 10_000, 100);
    expect(reports).toEqual({
      gauge: [1000, 3000, 5000, 7000, 9000],
      hang: [5000, 10_000],
      soFar: [4000, 5000, 8000, 10_000],
    });
    expect(length[0]).toBe(4000);
  });

  test('what is wanted from a moment within the stall on is due then, and the rest as before', () => {
    const hangs = { hangAfterMs: 5000, soFarAfterMs: 0 };
    const both = { hangAfterMs: 5000, soFarAfterMs: 100 };
    const { next } = advance(newSchedule(hangs), 7000);
    expect(changeSettings(next, hangs, both)).toEqual({ gauge: 9000, hang: 10_000, length: 100, soFar: 100 });
    expect(changeSettings(next, hangs, { hangAfterMs: 0, soFarAfterMs: 0 })).toEqual(
      newSchedule({ hangAfterMs: 0, soFarAfterMs: 0 }),
    );
    expect(changeSettings(next, hangs, hangs)).toEqual(next);
  });

  test('a watchdog that comes late reports once, and does not catch up', () => {
    expect(ages(5000, 60_000, 30_000)).toEqual({ gauges: [30_000, 60_000], hangs: [30_000, 60_000] });
    expect(ages(5000, 76_000, 38_000).hangs).toEqual([38_000, 76_000]);
    expect(ages(5000, 36_000, 18_000).hangs).toEqual([18_000, 36_000]);
  });

  test('a hang is reported once for each doubling, however often it is checked', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 60_000 }), fc.integer({ min: 1, max: 5000 }), (hangAfterMs, checkMs) => {
        const stallMs = 200_000;
        const { hangs, gauges } = ages(hangAfterMs, stallMs, checkMs);
        expect(hangs.length).toBeLessThanOrEqual(Math.floor(Math.log2(stallMs / hangAfterMs)) + 1);
        // Each reports a doubling that no earlier one has reported.
        const doublings = hangs.map((ageMs) => Math.floor(Math.log2(ageMs / hangAfterMs)));
        expect(new Set(doublings).size).toBe(hangs.length);
        expect(Math.min(...gauges)).toBeGreaterThanOrEqual(STALLED_AFTER_MS);
      }),
      { numRuns: 50 },
    );
  });
});
