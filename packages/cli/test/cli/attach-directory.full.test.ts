import { chmod, mkdtemp, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';

import { fixture, runCli } from '../support/cli.js';
import { TargetProcess } from '../support/target.js';

const UNPRIVILEGED = ['--reuid=65534', '--regid=65534', '--clear-groups'];
const testAsRoot = process.geteuid?.() === 0 ? test : test.skip;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-directory-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function attached(target: TargetProcess, temporary: string): Promise<string> {
  const env = { TMPDIR: temporary };
  const { code, stderr } = await runCli(['attach', '--for', '2s', String(target.pid)], { env });
  return `${code} ${stderr}`;
}

describe('attach finds a directory for its channel', () => {
  test('where the path of the temporary directory is too long for a socket', async () => {
    const long = path.join(directory, 'x'.repeat(100));
    await mkdir(long);
    await using target = await TargetProcess.hang('interval');
    await expect(attached(target, long)).resolves.toMatch(/^0 [^]*renderPage/);
  });

  test('where the temporary directory does not exist', async () => {
    await using target = await TargetProcess.hang('interval');
    await expect(attached(target, path.join(directory, 'none'))).resolves.toMatch(/^0 [^]*renderPage/);
  });

  testAsRoot('where the process is one of another user, who cannot reach the temporary directory', async () => {
    await chmod(directory, 0o700);
    const command = [nodeBinary(), '--inspect-port=0', fixture('hang.cjs'), 'interval'];
    await using target = TargetProcess.command('setpriv', ...UNPRIVILEGED, ...command);
    await target.waitFor(/ready\n/);
    await expect(attached(target, directory)).resolves.toMatch(/^0 [^]*renderPage/);
  });
});
