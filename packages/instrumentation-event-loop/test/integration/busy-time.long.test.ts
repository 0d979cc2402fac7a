import { expect, test } from '@jest/globals';
import { combinationPerMajor, describeCombination } from '@loopwatch/test-support';

import { differences, expectNothingMissing, sharesOf } from './busy-support.ts';

/** Runs of each mix; with 1,000 answers, a share is wrong by more than 5 points in fewer than 5 of 100. */
const RUNS = Number(process.env['LOOPWATCH_TEST_RUNS'] ?? 5);

const mixes = ['javascript', 'native', 'garbage', 'short', 'microtasks', 'timers', 'blocks'];

test.each(
  combinationPerMajor.flatMap((on) =>
    mixes.flatMap((mix) => [
      [describeCombination(on), mix, 'main', on] as const,
      [describeCombination(on), mix, 'worker', on] as const,
    ]),
  ),
)('%s: shares of the mix %s in a %s thread', async (_label, mix, where, on) => {
  const all: number[] = [];
  for (let seed = 1; seed <= RUNS; seed++) {
    const result = await sharesOf(on, mix, 1000, { seed, where });
    expectNothingMissing(result);
    all.push(...differences(result));
  }
  const wrong = all.filter((points) => points > 5);
  expect(wrong.length / all.length).toBeLessThanOrEqual(0.05);
});
