import { describe, expect, jest, test } from '@jest/globals';
import { combinationPerMajor, describeCombination } from '@loopwatch/test-support';

import { differences, expectNothingMissing, sharesOf } from './busy-support.ts';

/** Runs of each mix. */
const RUNS = Number(process.env['LOOPWATCH_TEST_RUNS'] ?? 1);
const ANSWERS = 1000;
/** The answers take less than 3 % of the time then, and a watchdog that waits for a CPU seldom has two arrivals at once. */
const PER_SECOND = 60;

const mixes = ['javascript', 'native', 'garbage', 'short', 'microtasks', 'timers', 'blocks'];

jest.setTimeout(60_000 + RUNS * 90_000);

describe.each(combinationPerMajor.map((on) => [describeCombination(on), on] as const))('%s', (_label, on) => {
  const all: { readonly share: string; readonly points: number }[] = [];

  test.each(mixes.flatMap((mix) => [[mix, 'main'] as const, [mix, 'worker'] as const]))(
    'no request and no function of the mix %s in a %s thread is missing',
    async (mix, where) => {
      for (let seed = 1; seed <= RUNS; seed++) {
        const shares = await sharesOf(on, mix, ANSWERS, { seed, where, perSecond: PER_SECOND });
        expectNothingMissing(shares);
        for (const [name, points] of differences(shares))
          all.push({ share: `${mix}, ${where}, ${seed}: ${name}`, points });
      }
    },
  );

  test('of all shares, 95 % are within 5 points of the truth', () => {
    const wrong = all.filter(({ points }) => points > 5);
    expect(all.length).toBeGreaterThan(mixes.length * 2);
    // All of them are shown where they are too many.
    expect({ of: all.length, wrong }).toMatchObject(wrong.length / all.length > 0.05 ? { wrong: [] } : {});
  });
});
