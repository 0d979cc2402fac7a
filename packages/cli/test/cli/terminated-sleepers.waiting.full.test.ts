import { expect, test } from '@jest/globals';

import { fixture, runCli } from '../support/cli.js';

/** Each is asked some twenty times a second. Without a wait for its answer, one in 20 to 40 was terminated within one. */
const WORKERS = 120;

// Its V8 aborts the process where a worker is terminated in an answer, and once more.
test('a program that terminates many workers which sleep in Atomics.wait ends as it does otherwise, on Node.js 20', async () => {
  const command = ['node', fixture('terminated-sleepers.cjs'), String(WORKERS)];
  const { code, signal, stdout } = await runCli(['run', '--quiet', '--', ...command], { major: 20 });
  expect([code, signal, stdout.toString()]).toEqual([0, null, `${WORKERS} terminated\n`]);
});
