import { expect, test } from '@jest/globals';
import { sampledMajors } from '@loopwatch/test-support';

import { fixture, runCli } from '../support/cli.js';

test.each(sampledMajors(22, 26))(
  'a program whose debugger pauses the blocked thread goes on, on Node.js %d',
  async (major) => {
    const { code, signal, stdout } = await runCli(['run', '--', 'node', fixture('paused-in-a-block.cjs')], { major });
    expect([code, signal, stdout.toString()]).toEqual([0, null, 'done\n']);
  },
);
