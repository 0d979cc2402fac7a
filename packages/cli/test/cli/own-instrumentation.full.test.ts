import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';
import { sampledMajors } from '@loopwatch/test-support';

import type { Recording } from '../../src/model/recording/recording.js';
import { fixture, runCli } from '../support/cli.js';

test.each(sampledMajors(22, 24))(
  'reports a block of a worker thread once where the program has the instrumentation itself, on Node.js %d',
  async (major) => {
    const directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-test-'));
    try {
      const json = path.join(directory, 'out.json');
      const program = [nodeBinary(major), fixture('own-instrumentation.cjs')];
      const { code } = await runCli(['run', '--quiet', '--json', json, '--', ...program]);
      const { blocks } = JSON.parse(await readFile(json, 'utf8')) as Recording;
      expect([code, blocks.filter(({ threadId }) => threadId !== 0).length]).toEqual([0, 3]);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
);
