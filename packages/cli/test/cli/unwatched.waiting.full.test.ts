import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { nodeBinary, workspaceNodeMajor } from '@loopwatch/node-binaries';

import type { Recording } from '../../src/model/recording/recording.js';
import { expectSuccess, fixture, runCli } from '../support/cli.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch test '));
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

const LASTS = fixture('lasts.cjs');
/** `/proc` shows which processes run without the preload. */
const onLinux = (process.platform === 'linux' ? test.concurrent : test.concurrent.skip) as typeof test.concurrent;
let files = 0;

async function run(command: readonly string[]): Promise<{ stderr: string; recording: Recording }> {
  const file = path.join(directory, `${(files += 1)}.json`);
  const result = await runCli(['run', '--json', file, '--', ...command], { env: { LASTS } });
  expectSuccess(result);
  return { stderr: result.stderr, recording: JSON.parse(await readFile(file, 'utf8')) as Recording };
}

onLinux.each([
  ['an empty one', 'node "$LASTS" & NODE_OPTIONS="" node "$LASTS"; wait', 'node_options_replaced'],
  ['one for this command', 'NODE_OPTIONS=--max-old-space-size=4096 node "$LASTS"', 'node_options_replaced'],
  ['none', 'env -u NODE_OPTIONS node "$LASTS"', 'node_options_removed'],
  ['none, nor anything else', 'env -i "$(command -v node)" "$LASTS"', 'node_options_removed'],
  ['the present one, without the channel', 'env -u LOOPWATCH_RUN_DIRECTORY node "$LASTS"', 'directory_removed'],
])('a process is said to be unwatched whose NODE_OPTIONS is %s', async (_what, script, reason) => {
  const { stderr, recording } = await run(['sh', '-c', script]);
  expect(stderr).toMatch(/^loopwatch 1 Node\.js process was not watched: its .* \(node .*lasts\.cjs\)\. /m);
  expect(recording.unwatchedProcesses).toEqual([
    { pid: expect.any(Number), command: expect.stringMatching(/node .*lasts\.cjs$/), reason },
  ]);
});

onLinux('a process is said to be unwatched whose binary has another name, as a single executable has', async () => {
  const app = path.join(directory, 'shop');
  await copyFile(nodeBinary(workspaceNodeMajor), app);
  const { stderr, recording } = await run(['env', '-u', 'NODE_OPTIONS', app, LASTS]);
  expect(stderr).toMatch(/^loopwatch 1 Node\.js process was not watched: its environment has no .*\bshop\)\. /m);
  expect(recording.unwatchedProcesses).toMatchObject([{ reason: 'node_options_removed' }]);
});

onLinux.each([['main'], ['worker']])(
  'a process that the %s thread of another starts in its own way',
  async (thread) => {
    const { recording } = await run(['node', fixture('spawns-with-environment.cjs'), thread]);
    expect(recording.processes).toHaveLength(1);
    expect(recording.unwatchedProcesses).toMatchObject([{ reason: 'node_options_removed' }]);
  },
);

test.concurrent('a worker thread is said to be unwatched that has an environment of its own', async () => {
  const { stderr, recording } = await run(['node', fixture('worker-with-environment.cjs'), 'own']);
  expect(stderr).toMatch(
    /^loopwatch In process \d+: 1 worker thread was not watched\. .*env: \{ \.\.\.process\.env, … \}$/m,
  );
  expect(recording.problems).toHaveLength(1);
});

test.concurrent.each([
  ['an environment that has more', ['node', fixture('worker-with-environment.cjs'), 'extended']],
  ['hooks of modules, which Node.js runs', ['node', '--no-warnings', fixture('registers-hooks.mjs')]],
])('nothing is said about a worker thread with %s', async (_what, command) => {
  const { recording } = await run(command);
  expect(recording.problems).toBeUndefined();
});

onLinux.each([
  ['its own NODE_OPTIONS in addition', 'NODE_OPTIONS="$NODE_OPTIONS --max-old-space-size=4096" node "$LASTS"', 1],
  ['no Node.js', 'NODE_OPTIONS= sleep 3', 0],
])('nothing is said about a process with %s', async (_what, script, watched) => {
  const { stderr, recording } = await run(['sh', '-c', script]);
  expect(stderr).not.toContain('not watched');
  expect([recording.processes.length, recording.unwatchedProcesses]).toEqual([watched, undefined]);
});

onLinux('nothing is said about a package manager, behind a link and with a title of its own', async () => {
  const script = path.join(directory, 'lib/node_modules/npm/bin/npm-cli.js');
  await mkdir(path.dirname(script), { recursive: true });
  await writeFile(script, "if (process.argv[2]) process.title = 'npm run build';\nsetTimeout(() => {}, 3_000);\n");
  await symlink(script, path.join(directory, 'npm'));
  const { recording } = await run([
    'sh',
    '-c',
    'NODE_OPTIONS= node "$0" & NODE_OPTIONS= node "$0" title; wait',
    path.join(directory, 'npm'),
  ]);
  expect(recording.unwatchedProcesses).toBeUndefined();
});

test.concurrent('a limit of blocked time says so too, and does not fail for it', async () => {
  const args = ['run', '-q', '--fail-on', '100', '--', 'node', '--trace-sync-io', fixture('quiet.cjs')];
  const result = await runCli(args);
  expectSuccess(result);
  const { stderr } = result;
  expect(stderr).toMatch(/^loopwatch 1 Node\.js process was not watched: with --trace-sync-io, /m);
});

(process.getuid?.() === 0 ? onLinux : test.concurrent.skip)(
  'a process is said to be unwatched that runs as another user',
  async () => {
    const { recording } = await run(['sh', '-c', 'setpriv --reuid=65534 --clear-groups node "$LASTS"']);
    expect(recording.processes).toEqual([]);
    expect(recording.unwatchedProcesses).toMatchObject([{ reason: 'other_user' }]);
  },
);
