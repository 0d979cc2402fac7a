import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { advance, newSchedule, phaseOf, ProbeAnswer, STALLED_AFTER_MS } from '../../../../src/watchdog/scan/phase.js';

/** Ages at which something is told of a stall that is looked at every `lookMs`. */
function ages(hangAfterMs: number, stallMs: number, lookMs: number): { gauges: number[]; hangs: number[] } {
  const gauges: number[] = [];
  const hangs: number[] = [];
  let schedule = newSchedule(hangAfterMs);
  for (let ageMs = 0; ageMs <= stallMs; ageMs += lookMs) {
    const { gauge, hang, next } = advance(schedule, ageMs);
    if (gauge) gauges.push(ageMs);
    if (hang) hangs.push(ageMs);
    schedule = next;
  }
  return { gauges, hangs };
}

describe('what an answer tells of the thread', () => {
  test.each([
    ['no JavaScript on the stack', ProbeAnswer.nobody, undefined],
    ['JavaScript that runs', ProbeAnswer.running, 'busy'],
    ['a worker asleep with nothing pending', ProbeAnswer.asleep, 'idle'],
    ['a worker asleep with work pending', ProbeAnswer.asleepWithPending, 'stuck'],
    ['an answer that is none of them', 99, undefined],
    ['no number at all', NaN, undefined],
  ])('%s', (_, answer, phase) => {
    expect(phaseOf(answer)).toBe(phase);
  });
});

describe('the schedule of a stall', () => {
  test('the hang is reported at its threshold, and then at doubling ages', () => {
    expect(ages(5000, 45_000, 10).hangs).toEqual([5000, 10_000, 20_000, 40_000]);
  });

  test('the gauge begins after a second and comes every two', () => {
    expect(ages(5000, 10_000, 10).gauges).toEqual([1000, 3000, 5000, 7000, 9000]);
  });

  test("a block of less than a second is nobody's business but its own", () => {
    expect(ages(5000, 999, 1)).toEqual({ gauges: [], hangs: [] });
  });

  test('a hang threshold below a second is kept', () => {
    expect(ages(200, 1000, 10).hangs).toEqual([200, 400, 800]);
  });

  test('hangs turned off tell nothing, however long the block', () => {
    expect(ages(0, 600_000, 100)).toEqual({ gauges: [], hangs: [] });
  });

  test('a watchdog that comes late tells once, and does not catch up', () => {
    expect(ages(5000, 60_000, 30_000)).toEqual({ gauges: [30_000, 60_000], hangs: [30_000, 60_000] });
    expect(ages(5000, 76_000, 38_000).hangs).toEqual([38_000, 76_000]);
    expect(ages(5000, 36_000, 18_000).hangs).toEqual([18_000, 36_000]);
  });

  test('a hang is told once for each doubling, however it is looked at', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 60_000 }), fc.integer({ min: 1, max: 5000 }), (hangAfterMs, lookMs) => {
        const stallMs = 200_000;
        const { hangs, gauges } = ages(hangAfterMs, stallMs, lookMs);
        expect(hangs.length).toBeLessThanOrEqual(Math.floor(Math.log2(stallMs / hangAfterMs)) + 1);
        // Each tells of a doubling that none before has told of.
        const doublings = hangs.map((ageMs) => Math.floor(Math.log2(ageMs / hangAfterMs)));
        expect(new Set(doublings).size).toBe(hangs.length);
        expect(Math.min(...gauges)).toBeGreaterThanOrEqual(STALLED_AFTER_MS);
      }),
      { numRuns: 50 },
    );
  });
});
