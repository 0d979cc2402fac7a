import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

import { expect, test } from '@jest/globals';

import { isAlive } from '../../src/cli/program/is-alive.js';

test('a process is alive until it ends', () => {
  expect(isAlive(process.pid)).toBe(true);
  expect(isAlive(2 ** 22 + 1)).toBe(false);
});

(process.platform === 'linux' ? test : test.skip)(
  'a process that has ended is not alive, although its parent never collects it',
  async () => {
    // The program that takes the place of the shell knows nothing of its child.
    const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 20'], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      await new Promise((resolve) => setTimeout(resolve, 500));
      const pid = Number(line.toString());
      expect(process.kill(pid, 0)).toBe(true);
      expect(isAlive(pid)).toBe(false);
    } finally {
      parent.kill('SIGKILL');
    }
  },
);
