import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, test } from '@jest/globals';
import { sampledMajors } from '@loopwatch/test-support';

import type { Recording } from '../../src/model/recording/recording.js';
import { fixture, runCli } from '../support/cli.js';

test.each(sampledMajors(22, 24))(
  'what names the request of blocked code leaves the last match of the program as it was, on Node.js %d',
  async (major) => {
    const directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-test-'));
    try {
      const file = path.join(directory, 'out.json');
      const command = ['run', '--quiet', '--json', file, '--', 'node', fixture('interrupted-regexps.cjs')];
      const { code, stdout } = await runCli(command, { major });
      expect([code, stdout.toString()]).toEqual([0, 'sentinel in sentinel\n']);
      const { blocks } = JSON.parse(await readFile(file, 'utf8')) as Recording;
      expect(blocks.map(({ request }) => request)).toContain('GET /orders');
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
);
