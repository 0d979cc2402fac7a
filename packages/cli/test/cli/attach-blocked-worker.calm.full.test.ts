import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from '@jest/globals';
import { sampledMajors } from '@loopwatch/test-support';

import { expectSuccess, runCli } from '../support/cli.js';
import { Scratch } from '../support/scratch.js';
import { TargetProcess } from '../support/target.js';

// Calm: without a free CPU, the main thread has blocks too, which wait for one.

test.each(sampledMajors(26))('reports a worker thread on Node.js %d that is blocked all the time', async (major) => {
  await using scratch = await Scratch.make();
  await using target = await TargetProcess.hang('hungWorker', { major });
  await sleep(500);
  // Open: of some forty attaches of 2 s, three have seen no block; of fourteen of 5 s, none.
  expectSuccess(await runCli(['attach', '--json', scratch.json, '--for', '5s', String(target.pid)]));
  const { blocks } = await scratch.recording();
  expect(blocks).toMatchObject([{ ended: false, threadId: 1, cause: 'javascript' }]);
  expect(blocks[0]!.culprit?.functionName).toMatch(/crunchForever|renderPage/);
});
