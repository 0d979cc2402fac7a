import { createRequire } from 'node:module';

import { expect, test } from '@jest/globals';
import { combinationPerMajor, describeCombination } from '@loopwatch/test-support';

import { otlpReceiver } from './otlp-receiver.ts';
import { expectCleanExit, runFixture } from './support.ts';

const require = createRequire(import.meta.url);

test.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
  'each synchronous task of a pool is exported by the main thread, although no worker iterates its loop: %s',
  async (_label, combination) => {
    await using receiver = await otlpReceiver();
    const result = await runFixture(combination, 'pool-without-sdk.cjs', {
      preload: 'none',
      flags: ['--import', '@loopwatch/instrumentation-event-loop/register'],
      args: [require.resolve('piscina')],
      env: receiver.env,
    });
    expectCleanExit(result);
    expect(receiver.culprits).toEqual(Array.from({ length: 6 }, () => 'computeReport'));
  },
);
