import { expect, test } from '@jest/globals';
import { sampledMajors } from '@loopwatch/test-support';

import { fixture, runCli } from '../support/cli.js';

// With so short a threshold, most limits end while the thread is asked every 10 ms: some hit an answer.
test.each(sampledMajors(20, 26))(
  'a time limit of node:vm ends a script that is being sampled, on Node.js %d',
  async (major) => {
    const command = ['run', '-q', '-t', '20', '--', 'node', fixture('limited-script.cjs')];
    const { code, stdout } = await runCli(command, { major });
    expect([code, stdout.toString()]).toEqual([
      0,
      "main { 'timed out': 25, other: 0 }\nworker { 'timed out': 25, other: 0 }\n",
    ]);
  },
);
