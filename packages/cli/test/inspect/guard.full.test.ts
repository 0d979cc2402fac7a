import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, test } from '@jest/globals';
import { nodeBinary, nodeMajors } from '@loopwatch/node-binaries';

import { ATTACH_SOCKET } from '../../src/channel/contract.js';
import { guardExpression } from '../../src/cli/inspect/snapshot.js';

test.concurrent.each(nodeMajors)(
  'a process on Node.js %d to which a killed loopwatch attached closes the inspector and removes the channel, another channel stays',
  async (major) => {
    const gone = await mkdtemp(path.join(tmpdir(), 'loopwatch-guard-'));
    const used = await mkdtemp(path.join(tmpdir(), 'loopwatch-guard-'));
    const server = createServer().listen(path.join(used, ATTACH_SOCKET));
    try {
      await writeFile(path.join(gone, 'records'), '');
      // The guard keeps no process alive. It runs after 10 s.
      const program = `${guardExpression(gone)}; ${guardExpression(used)}; setTimeout(() => {
        console.log(String(require('node:inspector').url()));
      }, 11_000)`;
      const child = spawn(nodeBinary(major), ['--inspect=0', '-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const [code] = (await once(child, 'close')) as [number | null];
      expect([code, output, existsSync(gone), existsSync(used)]).toEqual([0, 'undefined\n', false, true]);
    } finally {
      server.close();
      await rm(gone, { recursive: true, force: true });
      await rm(used, { recursive: true, force: true });
    }
  },
);
