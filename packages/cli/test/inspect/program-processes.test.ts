import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from '@jest/globals';

import { ENV_RUN_DIRECTORY } from '../../src/channel/contract.js';
import { ProgramProcesses } from '../../src/cli/inspect/program/program-processes.js';

(process.platform === 'linux' ? test : test.skip)(
  'the children of a process that has ended stay known, also with an environment of their own',
  async () => {
    const directory = '/tmp/of-program-processes-test';
    const script = 'env -i sleep 30 & echo $!; wait';
    const parent = spawn('sh', ['-c', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, [ENV_RUN_DIRECTORY]: directory },
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const child = Number(line.toString());
    // Until `env` has run `sleep`, the child has the environment of its parent.
    while ((await readFile(`/proc/${child}/comm`, 'utf8')) !== 'sleep\n') await sleep(5);
    try {
      const processes = new ProgramProcesses(directory);
      expect(processes.pids().toSorted()).toEqual([parent.pid!, child].toSorted());
      parent.kill('SIGKILL');
      await once(parent, 'exit');
      expect(processes.pids()).toEqual([child]);
      expect(new ProgramProcesses(directory).pids()).toEqual([]);
    } finally {
      process.kill(child, 'SIGKILL');
    }
  },
);
