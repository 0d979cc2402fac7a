import { describe, expect, test } from '@jest/globals';
import { casesOn, combinationPerMajor, describeCombination, isInnerTier } from '@loopwatch/test-support';
import type { RunResult } from '@loopwatch/test-support';

import { inAllThreads, runOnce } from './thread-support.ts';

describe('A program ends as it does without the instrumentation when its worker', () => {
  const ends = [
    ['exits', 0],
    ['throws', 0],
    ['overflows', 0],
    ['is terminated', 0],
    ['is terminated by a blocked main thread', 0],
    ['is terminated in a native call', 0],
    ['is left behind', 6],
  ] as const;
  const keyEnds = ends.filter(([how]) => how === 'is terminated' || how === 'is left behind');
  const cases = combinationPerMajor.flatMap((combination) =>
    (combination.nodeMajor === 24 && !isInnerTier ? ends : casesOn(combination, keyEnds)).map(
      ([how, exitCode]) => [how, describeCombination(combination), exitCode, combination] as const,
    ),
  );

  test.concurrent.each(cases)('%s in a block (%s)', async (how, _label, exitCode, combination) => {
    const [instrumented, plain] = await Promise.all([run({}), run({ instrumentation: false })]);
    expect(outcomeOf(instrumented)).toEqual(outcomeOf(plain));
    expect(instrumented.exitCode).toBe(exitCode);
    expect(`${instrumented.stdout}${instrumented.stderr}`).not.toMatch(/waiting for the debugger/i);

    async function run(telemetry: Record<string, unknown>): Promise<RunResult> {
      const options = {
        args: [how],
        telemetry: { ...telemetry, lingerMs: 0 },
        env: { NODE_DISABLE_COMPILE_CACHE: '1' },
      };
      return runOnce(combination, 'worker-ends.cjs', { ...(await inAllThreads(combination)), ...options });
    }
  });
});

function outcomeOf({ exitCode, signal, stdout, stderr }: RunResult): Partial<RunResult> {
  return { exitCode, signal, stdout, stderr };
}
