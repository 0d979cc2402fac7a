import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

import { afterEach, describe, expect, test } from '@jest/globals';

import { readProcess } from '../../src/cli/inspect/process/processes.js';
import { parseReadCall, synchronousReadOf } from '../../src/cli/inspect/process/synchronous-read.js';
import { read } from '../../src/cli/platform/proc-files.js';

const onLinux = process.platform === 'linux' ? describe : describe.skip;
const READS_SEEN = 30;

let child: ChildProcess;
afterEach(() => {
  child.kill('SIGKILL');
});

async function start(code: string): Promise<number> {
  child = spawn(process.execPath, ['--eval', `console.log('ready'); ${code}`], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout!, 'data');
  return child.pid!;
}

function readOf(pid: number): string | undefined {
  return synchronousReadOf(pid, readProcess(pid)!.state);
}

function isReading(pid: number): boolean {
  return typeof parseReadCall(read(`${pid}/syscall`), process.arch) === 'object';
}

onLinux('a synchronous read', () => {
  test('that Node.js makes while it starts a process is none', async () => {
    const pid = await start("const { spawnSync } = require('node:child_process'); for (;;) spawnSync('true');");
    const results: (string | undefined)[] = [];
    while (results.length < READS_SEEN) {
      if (isReading(pid)) results.push(readOf(pid));
      else await delay(1);
    }
    expect(results).toEqual(results.map(() => undefined));
  });

  test('of stdin is one, by its file and descriptor', async () => {
    const pid = await start("require('node:fs').readSync(0, Buffer.alloc(1));");
    for (let count = 0; count < 500 && readOf(pid) === undefined; count++) await delay(10);
    expect(readOf(pid)).toMatch(/^(?:pipe|socket):\[\d+\] \(descriptor 0\)$/);
  });
});
