import { expect, test } from '@jest/globals';
import { combinationPerMajor, describeCombination } from '@loopwatch/test-support';

import { hangKinds } from './kinds.ts';
import { isRight } from './results.ts';
import { runHangs } from './run-hangs.ts';

/** Each way twice: on all majors, more than a hundred hangs. */
const ROUNDS = 2;
/** Of a hundred hangs, two last reports may be wrong. */
const REQUIRED_SHARE = 0.98;

test('the last reports of more than a hundred hangs, of fifteen kinds, are right but for two in a hundred', async () => {
  const judged = [];
  for (const combination of combinationPerMajor) {
    const some = await runHangs(combination, ROUNDS * hangKinds.length);
    judged.push(...some.map((hang) => ({ on: describeCombination(combination), ...hang })));
  }
  const wrong = judged.filter((hang) => !isRight(hang));
  const allowed = Math.ceil(judged.length * (1 - REQUIRED_SHARE));
  expect(wrong.length > allowed ? wrong : []).toEqual([]);
}, 1_800_000);
