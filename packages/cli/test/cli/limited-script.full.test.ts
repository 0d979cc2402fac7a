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

// Nothing is a block here, and many limits end while the thread answers what it does.
test.each(sampledMajors(20, 22, 24, 26))(
  'a time limit of node:vm ends a script whose thread is asked at random what it does, on Node.js %d',
  async (major) => {
    const command = ['run', '-q', '-t', '2000', '--', 'node', fixture('limited-script.cjs'), '150', '5'];
    const env = { LOOPWATCH_BUSY_SAMPLES_PER_SECOND: '1000' };
    const { code, stdout } = await runCli(command, { major, env });
    expect([code, stdout.toString()]).toEqual([
      0,
      "main { 'timed out': 150, other: 0 }\nworker { 'timed out': 150, other: 0 }\n",
    ]);
  },
);
