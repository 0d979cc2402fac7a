import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sampledMajors } from '@loopwatch/test-support';

import { fixture, runCli } from '../support/cli.js';

let directory: string;
let under: readonly string[];
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-test-'));
  under = ['sh', '-c', `mkdir ${directory}/gone; cd ${directory}/gone; rmdir ../gone; exec "$@"`, 'sh'];
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

describe('in a working directory that has been removed', () => {
  test.each(sampledMajors(20, 26))('a program runs and is watched, on Node.js %d', async (major) => {
    const { code, stdout, stderr } = await runCli(['run', '--', 'node', fixture('blocks.cjs')], { under, major });
    expect([code, stdout.toString()]).toEqual([0, 'done\n']);
    // Node.js starts no worker thread there, so the watchdog is missing and with it the stack.
    expect(stderr).toMatch(/^loopwatch \d+ blocks? by /m);
  });

  test('a report for it is refused before the program starts', async () => {
    const { code, stdout, stderr } = await runCli(['run', '--report', 'x.html', '--', 'echo', 'hi'], { under });
    expect([code, stdout.toString()]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^loopwatch: Cannot write --report x\.html: the directory \S+gone does not exist\. Create it/,
    );
    expect(await readdir(directory)).toEqual([]);
  });

  test.each([['ps'], ['doctor']])('%s works', async (command) => {
    const { stdout, stderr } = await runCli([command], { under });
    expect(stderr).toBe('');
    expect(stdout.toString()).not.toBe('');
  });
});
