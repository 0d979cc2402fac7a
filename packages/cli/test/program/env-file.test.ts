import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { nodeOptionsOfEnvFiles } from '../../src/cli/program/env-file.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-test-'));
  await writeFile(path.join(directory, '.env'), 'PORT=80\nNODE_OPTIONS="--stack-trace-limit=3 --no-warnings"\n');
  await writeFile(path.join(directory, 'local.env'), 'NODE_OPTIONS=--stack-trace-limit=4\n');
  await writeFile(path.join(directory, 'other.env'), 'PORT=81\n');
  // As `<(…)` of a shell: to read it would block, and leave the program nothing of it.
  execFileSync('mkfifo', [path.join(directory, 'pipe.env')]);
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

const OPTIONS = '--stack-trace-limit=3 --no-warnings';
const LOCAL_OPTIONS = '--stack-trace-limit=4';

test.each([
  [['node', '--env-file=.env', 'server.js'], OPTIONS],
  [['/usr/bin/node', '--env-file', '.env', 'server.js'], OPTIONS],
  [['node', '--import', 'tsx', '--env-file-if-exists=.env', 'server.ts'], OPTIONS],
  [['node', '--env-file=.env', '--env-file=local.env', 'server.js'], LOCAL_OPTIONS],
  [['node', '--env-file=local.env', '--env-file=other.env', 'server.js'], LOCAL_OPTIONS],
])('%j has those of its file', (command, expected) => {
  expect(nodeOptionsOfEnvFiles(command, directory)).toBe(expected);
});

test.each([
  [['node', 'server.js', '--env-file=.env']],
  [['node', '--', 'server.js', '--env-file=.env']],
  [['node', '--env-file=other.env', 'server.js']],
  [['node', '--env-file=missing.env', 'server.js']],
  [['node', '--env-file=pipe.env', 'server.js']],
  [['node', '--env-file=/dev/zero', 'server.js']],
  [['node', '--env-file']],
  [['docker', '--env-file=.env', 'up']],
  [[]],
])('%j has none', (command) => {
  expect(nodeOptionsOfEnvFiles(command, directory)).toBe('');
});
