import { expect, test } from '@jest/globals';
import { nodeMajors } from '@loopwatch/node-binaries';

import { fixture, runCli } from '../support/cli.js';

test.each(nodeMajors.flatMap((major) => [[major, 'answers'] as const, [major, 'times-out'] as const]))(
  'a worker that is terminated in a block keeps the block, on Node.js %d: %s',
  async (major, how) => {
    const command = ['run', '--', 'node', fixture('terminated-worker.cjs'), how];
    const { code, stdout, stderr } = await runCli(command, { major });
    expect([code, stdout.toString()]).toEqual([0, 'exit 1\n']);
    expect(stderr).toMatch(/^loopwatch \d\d:.* burnCpu \S*burn\.cjs:\d+ .*thread worker/m);
  },
);
