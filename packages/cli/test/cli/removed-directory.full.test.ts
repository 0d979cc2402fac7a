import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

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

test('a program that removes the package of Loopwatch, as `npm ci` does, is watched to its end', async () => {
  const packed = path.join(directory, 'package');
  const copy = fileURLToPath(new URL('../..', import.meta.url));
  const files = ['dist', 'schema', 'package.json'].map((name) => path.join(copy, name)).join(' ');
  const script = `mkdir ${packed}; cp -r ${files} ${packed}; node=$1; shift 2; exec "$node" ${packed}/dist/cli.cjs "$@"`;
  const json = path.join(directory, 'out.json');
  // Longer than until the first look for processes that are not watched.
  const program = `require('fs').rmSync(${JSON.stringify(packed)}, { recursive: true });
    setTimeout(() => { for (const end = Date.now() + 300; Date.now() < end; ); }, 1000);`;
  const { code, stderr } = await runCli(['run', '--json', json, '--', 'node', '-e', program], {
    under: ['sh', '-c', script, 'sh'],
  });
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^loopwatch \d+ blocks? by /m)]);
  const { blocks } = JSON.parse(await readFile(json, 'utf8')) as { blocks: readonly unknown[] };
  expect(blocks.length).toBeGreaterThan(0);
});
