import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';

import { fixture, runCli } from '../support/cli.js';
import { TargetProcess } from '../support/target.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-directory-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** What `attach` says of a process with that temporary directory. */
async function attached(temporary: string): Promise<string> {
  const command = [nodeBinary(), '--inspect-port=0', fixture('hang.cjs'), 'interval'];
  await using target = TargetProcess.command('env', `TMPDIR=${temporary}`, ...command);
  await target.waitFor(/ready\n/);
  const { code, stderr } = await runCli(['attach', '--for', '2s', String(target.pid)], { env: { TMPDIR: directory } });
  return `${code} ${stderr}`;
}

describe('an attached process finds a directory for the file of its records', () => {
  test('in its temporary directory, without a name, and the command creates none', async () => {
    await expect(attached(directory)).resolves.toMatch(/^0 [^]*renderPage/);
    expect(await readdir(directory)).toEqual([]);
  });

  test('where its temporary directory does not exist', async () => {
    await expect(attached(path.join(directory, 'none'))).resolves.toMatch(/^0 [^]*renderPage/);
  });

  test('where its temporary directory is on a file system without files that have no name', async () => {
    // `/proc` has no file that can be created at all: the next directory is taken.
    await expect(attached('/proc')).resolves.toMatch(/^0 [^]*renderPage/);
  });
});
