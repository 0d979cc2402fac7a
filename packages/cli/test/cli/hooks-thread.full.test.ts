import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, test } from '@jest/globals';
import { nodeMajors } from '@loopwatch/node-binaries';
import { sampledMajors } from '@loopwatch/test-support';

import type { Recording } from '../../src/model/recording/recording.js';
import { expectSuccess, fixture, runCli, startCli } from '../support/cli.js';
import { TargetProcess } from '../support/target.js';

test.each(nodeMajors.filter((major) => major >= 22))(
  'the thread in which Node.js runs the hooks of modules is not watched, the main thread is, on Node.js %d',
  async (major) => {
    const directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-test-'));
    const file = path.join(directory, 'out.json');
    try {
      const program = ['node', '--import', fixture('hooks/register.mjs'), fixture('hooks/main.mjs')];
      expectSuccess(await runCli(['run', '--quiet', '--json', file, '--', ...program], { major }));
      const { blocks, startUp } = JSON.parse(await readFile(file, 'utf8')) as Recording;
      const inHooksThread = [...blocks, ...(startUp?.threads ?? [])].filter(({ threadId }) => threadId !== 0);
      expect(inHooksThread).toEqual([]);
      expect(blocks.map(({ profile }) => profile)).toContainEqual(expect.stringContaining('inMainThread'));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
);

const MAX_RATIO = 1.8;
const MAX_ROUNDS = 6;

test.each(sampledMajors(22, 26))(
  'attach does not wait for that thread, which never gets ready, on Node.js %d',
  async (major) => {
    await using hooked = await TargetProcess.hang('hooksThread', { major });
    await using plain = await TargetProcess.hang('interval', { major });
    // The shortest of some: a wait for the thread would be in each of them, what else the host does is not.
    const times = { hooked: Infinity, plain: Infinity };
    for (let round = 0; round < 2 || (round < MAX_ROUNDS && times.hooked / times.plain >= MAX_RATIO); round++) {
      times.plain = Math.min(times.plain, await timeToAttach(plain));
      times.hooked = Math.min(times.hooked, await timeToAttach(hooked));
    }
    expect(times.hooked / times.plain).toBeLessThan(MAX_RATIO);
  },
);

async function timeToAttach(target: TargetProcess): Promise<number> {
  const startedAt = performance.now();
  const cli = startCli(['attach', String(target.pid)]);
  await cli.waitFor(/Attached to process/);
  const ms = performance.now() - startedAt;
  cli.child.kill('SIGINT');
  const { stderr } = await cli.result;
  expect(stderr).not.toMatch(/worker thread/i);
  return ms;
}
