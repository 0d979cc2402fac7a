import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { expect, test } from '@jest/globals';
import { casesOn, majorsOfTier, sampledMajors } from '@loopwatch/test-support';

import type { Recording } from '../../src/model/recording/recording.js';
import { fixture, runCli } from '../support/cli.js';

/** Each case on two majors, which take turns. */
const onTwoMajors = <T>(cases: readonly T[]) =>
  majorsOfTier.flatMap((major) => casesOn(major, cases).map((one) => [major, one] as const));

test.concurrent.each(onTwoMajors(['answers', 'times-out']))(
  'a worker that is terminated in a block keeps the block, on Node.js %d: %s',
  async (major, how) => {
    const command = ['run', '--', 'node', fixture('terminated-worker.cjs'), how];
    const { code, stdout, stderr } = await runCli(command, { major });
    expect([code, stdout.toString()]).toEqual([0, 'exit 1\n']);
    expect(stderr).toMatch(/^loopwatch \d\d:.* burnCpu \S*burn\.cjs:\d+ .*thread worker/m);
  },
);

test.concurrent.each(sampledMajors(20, 24))(
  'a worker that runs out of memory in a block keeps the block as its watchdog saw it, on Node.js %d',
  async (major) => {
    const command = ['run', '--', 'node', fixture('worker-out-of-memory.cjs')];
    const { code, stdout, stderr } = await runCli(command, { major });
    expect([code, stdout.toString()]).toEqual([0, 'ERR_WORKER_OUT_OF_MEMORY\nlives on\n']);
    expect(stderr).toMatch(/ burnCpu \S*burn\.cjs:\d+ .*thread worker {2}or longer: the thread has ended/);
  },
);

test.concurrent.each(onTwoMajors([500, 10]))(
  'a worker that is terminated in a block keeps its earlier blocks, on Node.js %d: %d ms after the last one',
  async (major, gapMs) => {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'loopwatch-'));
    try {
      const file = path.join(directory, 'run.json');
      const command = ['run', '--json', file, '--', 'node', fixture('reused-worker.cjs'), String(gapMs)];
      const { code, stdout } = await runCli(command, { major });
      expect([code, stdout.toString()]).toEqual([0, 'exit 1\n']);
      const { blocks } = JSON.parse(await readFile(file, 'utf8')) as Recording;
      const ofWorker = blocks.filter(({ threadName }) => threadName === 'worker');
      expect(ofWorker.map(({ profile }) => profile).join('\n')).toMatch(/\bfirst;burnCpu[^]*\blast;burnCpu/);
    } finally {
      await rm(directory, { recursive: true });
    }
  },
);
