import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from '@jest/globals';

import { isAlive } from '../../src/cli/program/is-alive.js';

test('a process is alive until it ends', () => {
  expect(isAlive(process.pid)).toBe(true);
  expect(isAlive(2 ** 22 + 1)).toBe(false);
});

(process.platform === 'linux' ? test : test.skip)(
  'a process that has ended is not alive, although its parent never collects it',
  async () => {
    // The child outlives the shell. The program that takes the shell's place knows nothing of it.
    const parent = spawn('sh', ['-c', 'sleep 0.5 & echo $!; exec sleep 20'], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(line.toString());
      expect(isAlive(pid)).toBe(true);
      while (isAlive(pid)) await sleep(50);
      expect(process.kill(pid, 0)).toBe(true);
    } finally {
      parent.kill('SIGKILL');
    }
  },
);
