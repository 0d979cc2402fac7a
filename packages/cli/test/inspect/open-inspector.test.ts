import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from '@jest/globals';

import { askAgain } from '../../src/cli/inspect/inspector/ask-again.js';
import { openInspector } from '../../src/cli/inspect/inspector/open-inspector.js';
import { checkTarget } from '../../src/cli/inspect/process/checks.js';

/** Opens its inspector on a free port, and closes it at the first input. */
const PROGRAM = `
  const inspector = require('node:inspector');
  inspector.open(0);
  process.stdin.once('data', () => inspector.close());
  console.log('ready');
`;

test('an inspector on a free port that is just being closed is opened again, and is ours to close', async () => {
  const program = spawn(process.execPath, ['--inspect-port=0', '-e', PROGRAM], { stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    await once(program.stdout, 'data');
    const pid = program.pid!;
    let tries = 0;
    const opened = askAgain(pid, () => {
      tries++;
      return openInspector(checkTarget(pid, 'dump'), { timeoutMs: 10_000 });
    });
    // Node.js ignores the signal, which has come by now, while the inspector is open.
    await sleep(300);
    program.stdin.write('close\n');
    await expect(opened).resolves.toMatchObject({ wasOpen: false });
    expect(tries).toBe(2);
  } finally {
    program.kill('SIGKILL');
  }
});

test('a port that another process takes after the check is named, and no native call is', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const reopen = async (): Promise<void> => {
    await once(holder.listen(port, '127.0.0.1'), 'listening');
  };
  await once(holder.close(), 'close');
  const endless = `console.log('ready'); setInterval(() => undefined, 1000);`;
  const program = spawn(process.execPath, [`--inspect-port=${port}`, '-e', endless], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    await once(program.stdout, 'data');
    const target = checkTarget(program.pid!, 'dump');
    await reopen();
    await expect(openInspector(target, { timeoutMs: 500 })).rejects.toThrow(`it is taken by process ${process.pid} (`);
  } finally {
    program.kill('SIGKILL');
    holder.close();
  }
});
