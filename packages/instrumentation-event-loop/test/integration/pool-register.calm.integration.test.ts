import { createRequire } from 'node:module';

import { expect, test } from '@jest/globals';
import { combinationPerMajor, describeCombination } from '@loopwatch/test-support';
import type { Combination } from '@loopwatch/test-support';

import { otlpReceiver } from './otlp-receiver.ts';
import { expectCleanExit, runFixture } from './support.ts';

const require = createRequire(import.meta.url);

const perMajor = combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const);

async function culpritsOf(combination: Combination, kind: string, waitMs: number): Promise<readonly string[]> {
  await using receiver = await otlpReceiver();
  const result = await runFixture(combination, 'pool-without-sdk.cjs', {
    preload: 'none',
    flags: ['--import', '@loopwatch/instrumentation-event-loop/register'],
    args: [require.resolve('piscina'), kind, String(waitMs)],
    env: receiver.env,
  });
  expectCleanExit(result);
  return receiver.culprits.filter((culprit) => culprit === 'computeReport');
}

test.each(perMajor)(
  'each synchronous task of a pool is exported by the main thread, although no worker iterates its loop: %s',
  async (_label, combination) => {
    // The telemetry has finished its start-up by then.
    expect(await culpritsOf(combination, 'atOnce', 1500)).toHaveLength(8);
  },
);

// Its workers iterate their loops, and so start SDKs of their own meanwhile. The pool terminates them at the end.
test.each(perMajor)(
  'each task of a pool is exported, also while its thread starts an SDK and right before its end: %s',
  async (_label, combination) => {
    expect(await culpritsOf(combination, 'later', 0)).toHaveLength(8);
  },
);
