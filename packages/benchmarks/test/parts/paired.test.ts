import { describe, expect, test } from '@jest/globals';

import type { PairedTrial } from '../../src/parts/paired/measure-paired.ts';
import { summarizePaired } from '../../src/parts/paired/summarize-paired.ts';
import { trimmedMean } from '../../src/parts/paired/batch-cost.ts';
import { seededRandom } from '../../src/statistics/random.ts';

/**
 * Two processes on a machine of changing speed. The second one costs 15 % more in every state; on costs `ratio` times
 * off.
 */
function trialsOf(count: number, ratio: number, isControl: boolean, random: () => number): PairedTrial[] {
  const phase = (isFirstOn: boolean) => {
    const slowness = 1 + random();
    const cost = (isOn: boolean, layout: number) => {
      const microseconds = 1000 * slowness * layout * (isOn ? ratio : 1) * (1 + (random() - 0.5) / 50);
      return { servingMicroseconds: microseconds, totalMicroseconds: microseconds * 1.1 };
    };
    return { first: cost(isFirstOn, 1), second: cost(!isFirstOn, 1.15) };
  };
  return Array.from({ length: count }, () => ({ isControl, firstOn: phase(true), secondOn: phase(false) }));
}

describe('summarizePaired', () => {
  const random = seededRandom(5);
  const pairs = [1, 2].map(() => [...trialsOf(12, 1.03, false, random), ...trialsOf(6, 1, true, random)]);
  const summary = summarizePaired(pairs, 16);

  test('finds a ratio of 1.03 between processes that differ by 15 %, on a machine of changing speed', () => {
    expect(Math.abs(summary.serving.value - 1.03)).toBeLessThan(0.01);
    expect(summary.serving.low).toBeLessThan(1.03);
    expect(summary.serving.high).toBeGreaterThan(1.03);
    expect(summary.serving.high! - summary.serving.low!).toBeLessThan(0.02);
    for (const value of summary.servingOfPairs) expect(Math.abs(value - 1.03)).toBeLessThan(0.015);
  });

  test('finds no effect in the control trials', () => {
    expect(summary.control.low).toBeLessThan(1);
    expect(summary.control.high).toBeGreaterThan(1);
  });

  test('counts the measured trials', () => {
    expect(summary).toMatchObject({ blocks: 24, servingOfPairs: { length: 2 } });
  });
});

describe('trimmedMean', () => {
  test('leaves out the largest value of twenty-five, and none of a few values', () => {
    expect(trimmedMean([...Array<number>(24).fill(2), 1000])).toBe(2);
    expect(trimmedMean([2, 4])).toBe(3);
  });

  test('rejects an empty series', () => {
    expect(() => trimmedMean([])).toThrow('at least one batch');
  });
});
