import { describe, expect, test } from '@jest/globals';
import { describeCombination, sampledCombinations } from '@loopwatch/test-support';
import type { Combination, RunResult } from '@loopwatch/test-support';

import { runOnce } from './thread-support.ts';

const variants = ['throws', 'does nothing'].flatMap((way) => ['before', 'after'].map((when) => ({ way, when })));

type Variant = (typeof variants)[number];

/** How the program ends, watched or alone; `runOnce` rejects where it does not. */
async function endOf(combination: Combination, watched: string, { way, when }: Variant): Promise<object> {
  const { exitCode, signal, stdout, stderr }: RunResult = await runOnce(combination, 'unref-replaced.cjs', {
    preload: 'none',
    args: [watched, when],
    env: { UNREF: way },
  });
  return { way, when, exitCode, signal, stdout: stdout.split('\n').sort(), stderr };
}

describe('A program in which `unref` of the classes of Node.js has been replaced', () => {
  test.each(sampledCombinations(22, 26).map((combination) => [describeCombination(combination), combination] as const))(
    'ends as alone: %s',
    async (_label, combination) => {
      const ends = await Promise.all(
        variants.map((variant) => Promise.all(['alone', 'watched'].map((as) => endOf(combination, as, variant)))),
      );
      for (const [alone, watched] of ends) {
        expect(alone).toMatchObject({ exitCode: 0, stderr: '' });
        expect(watched).toEqual(alone);
      }
    },
  );
});
