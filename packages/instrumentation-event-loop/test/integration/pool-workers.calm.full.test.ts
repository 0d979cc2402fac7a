import { createRequire } from 'node:module';

import { describe, expect, test } from '@jest/globals';
import {
  blockedSpans,
  casesOn,
  combinationPerMajor,
  describeCombination,
  durationMs,
  epochMs,
} from '@loopwatch/test-support';
import type { Combination, RunResult, SpanRecord } from '@loopwatch/test-support';

import {
  ATTR_BLOCKED_CAUSE,
  ATTR_BLOCKED_PENDING,
  ATTR_CODE_FILE_PATH,
  ATTR_CODE_FUNCTION_NAME,
  ATTR_CODE_STACKTRACE,
  ATTR_THREAD_ID,
} from '../../src/semconv.ts';
import { expectCleanExit } from './support.ts';
import { expectCause, node24, runInAllThreads } from './thread-support.ts';

const require = createRequire(import.meta.url);
const majors = [
  ['Piscina 4', 'piscina-4'],
  ['Piscina 5', 'piscina'],
] as const;

interface WithoutTasks {
  readonly fromEpochMs: number;
  readonly ms: number;
}

interface Computed {
  readonly startEpochMs: number;
  readonly endEpochMs: number;
}

async function runPool(combination: Combination, piscina: string, scenario: string): Promise<RunResult> {
  const result = await runInAllThreads(combination, 'pool-scenarios.cjs', {
    args: [require.resolve(piscina), scenario],
  });
  expectCleanExit(result);
  return result;
}

/** Blocks of the pool's thread since it has had no tasks, without those that a busy machine caused. */
function blocksWithoutTasks(result: RunResult): SpanRecord[] {
  const { fromEpochMs } = result.notes.get('withoutTasks') as WithoutTasks;
  return blockedSpans(result).filter(
    ({ attributes, endTime }) =>
      attributes[ATTR_THREAD_ID] !== 0 &&
      epochMs(endTime) > fromEpochMs &&
      attributes[ATTR_BLOCKED_CAUSE] !== 'cpu_starved',
  );
}

/** Each line of Piscina on two majors: how a thread sleeps depends on Node.js or on Piscina. */
const perMajor = combinationPerMajor.flatMap((combination) =>
  casesOn(combination, majors).map(
    ([label, piscina]) => [label, describeCombination(combination), piscina, combination] as const,
  ),
);
const onNode24 = majors.map(([label, piscina]) => [label, describeCombination(node24), piscina, node24] as const);

describe('A pool thread', () => {
  test.concurrent.each(perMajor)(
    'that sleeps while its upload is pending is reported as blocked: %s, %s',
    async (_label, __label, piscina, on) => {
      const result = await runPool(on, piscina, 'upload');
      expect(result.notes.get('uploaded')).toBe(true);
      const { ms } = result.notes.get('withoutTasks') as WithoutTasks;
      const [sleep, ...others] = blocksWithoutTasks(result);
      expect(others).toEqual([]);
      expect(sleep?.attributes).toMatchObject({
        [ATTR_BLOCKED_CAUSE]: 'waiting',
        [ATTR_CODE_FUNCTION_NAME]: 'atomicsWaitLoop',
        [ATTR_CODE_FILE_PATH]: expect.stringContaining('piscina'),
        [ATTR_CODE_STACKTRACE]: expect.stringContaining('Atomics.wait'),
        [ATTR_BLOCKED_PENDING]: expect.arrayContaining([expect.stringMatching(/^TCP\w+×\d+$/)]),
      });
      expect(durationMs(sleep!) / ms).toBeGreaterThan(0.8);
    },
  );

  test.concurrent.each(onNode24)(
    'that sleeps with nothing to do is not reported: %s, %s',
    async (_label, __label, piscina, on) => {
      expect(blocksWithoutTasks(await runPool(on, piscina, 'idle'))).toEqual([]);
    },
  );

  test.concurrent.each(onNode24)(
    'that computes is reported as blocked for just that long: %s, %s',
    async (_label, __label, piscina, on) => {
      const result = await runPool(on, piscina, 'compute');
      const { startEpochMs, endEpochMs } = result.notes.get('computed') as Computed;
      const spans = blockedSpans(result).filter(
        ({ attributes, startTime, endTime }) =>
          attributes[ATTR_THREAD_ID] !== 0 && epochMs(startTime) < endEpochMs && epochMs(endTime) > startEpochMs,
      );
      expect(spans).toHaveLength(1);
      expect(spans[0]?.attributes[ATTR_CODE_FUNCTION_NAME]).toBe('computeReport');
      expectCause(spans[0], 'javascript');
      // A block is split from its sleeps at a sample: up to 50 ms off on either side.
      const computeMs = endEpochMs - startEpochMs;
      expect(Math.abs(durationMs(spans[0]!) - computeMs) / computeMs).toBeLessThan(0.4);
    },
  );
});
