import { createRequire } from 'node:module';

import { expect, test } from '@jest/globals';
import { describeCombination, sampledCombinations } from '@loopwatch/test-support';
import type { Combination } from '@loopwatch/test-support';

import { otlpReceiver } from './otlp-receiver.ts';
import { expectCleanExit, runFixture } from './support.ts';

const require = createRequire(import.meta.url);

const labelled = (sampled: readonly Combination[]) => sampled.map((on) => [describeCombination(on), on] as const);

interface Task {
  readonly threadId: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** Runs a pool; returns the culprits of its blocks, and which tasks are no part of them. */
async function runPool(
  combination: Combination,
  kind: string,
  waitMs: number,
): Promise<{ culprits: readonly string[]; missing: readonly Task[] }> {
  await using receiver = await otlpReceiver();
  const result = await runFixture(combination, 'pool-without-sdk.cjs', {
    preload: 'none',
    flags: ['--import', '@loopwatch/instrumentation-event-loop/register'],
    args: [require.resolve('piscina'), kind, String(waitMs)],
    env: receiver.env,
  });
  expectCleanExit(result);
  const tasks = result.notes.get('tasks') as readonly Task[];
  expect(tasks).toHaveLength(8);
  const blockedMs = ({ threadId, startMs, endMs }: Task): number =>
    receiver.blocks
      .filter((block) => block.threadId === threadId)
      .reduce((sum, block) => sum + Math.max(0, Math.min(block.endMs, endMs) - Math.max(block.startMs, startMs)), 0);
  const missing = tasks.filter((task) => blockedMs(task) < (task.endMs - task.startMs) / 2);
  return { culprits: receiver.culprits, missing };
}

test.concurrent.each(labelled(sampledCombinations(20, 24)))(
  'each synchronous task of a pool is exported by the main thread, although no worker iterates its loop: %s',
  async (_label, combination) => {
    // The telemetry has finished its start-up by then.
    const { culprits } = await runPool(combination, 'atOnce', 1500);
    expect(culprits).toEqual(Array.from({ length: 8 }, () => 'computeReport'));
  },
);

test.concurrent.each(labelled(sampledCombinations(22, 26)))(
  'each task that is posted before the threads of its pool have started is exported: %s',
  async (_label, combination) => {
    expect((await runPool(combination, 'atOnce', 0)).missing).toEqual([]);
  },
);

// Its workers iterate their loops, and so start SDKs of their own meanwhile. The pool terminates them at the end.
test.concurrent.each(labelled(sampledCombinations(20, 26)))(
  'each task of a pool is exported, also while its thread starts an SDK and right before its end: %s',
  async (_label, combination) => {
    expect((await runPool(combination, 'later', 0)).missing).toEqual([]);
  },
);
