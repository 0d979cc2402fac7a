import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';
import { sampledMajors } from '@loopwatch/test-support';
import { parse as parseJUnit } from 'junit2json';

import { ENV_RUN_DIRECTORY } from '../../src/channel/contract.js';
import { KillAfter } from '../../src/cli/commands/kill-after.js';
import type { Recording } from '../../src/model/recording/recording.js';
import { expectSuccess, fixture, runCli } from '../support/cli.js';
import { OWN_PORT } from '../support/target.js';

const onLinux = process.platform === 'linux' ? test : test.skip;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-kill-after-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

describe.each(sampledMajors(20, 26))('--kill-after on Node.js %d', (major) => {
  test('dumps an endless loop, ends it with code 124, and keeps recording, JUnit and summary, which name it', async () => {
    const [json, junit, summary] = ['run.json', 'junit.xml', 'summary.md'].map((name) => path.join(directory, name));
    const outputs = ['--json', json!, '--junit', junit!];
    const { code, stderr } = await runCli(
      ['run', '--kill-after', '1', ...outputs, '--', 'node', OWN_PORT, fixture('never-ends.cjs')],
      { major, env: { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary! } },
    );
    expect(code).toBe(124);
    expect(stderr).toMatch(/^loopwatch Ends the program: the main thread of process \d+ has been blocked for /m);
    expect(stderr).toMatch(/^loopwatch {5}at hangForever \(\S*never-ends\.cjs:3\)$/m);
    expect(stderr).toMatch(/^::error title=Event loop blocked for .*never-ends\.cjs,line=3/m);
    expect(stderr).not.toContain('was not watched');
    const { exit, blocks } = JSON.parse(await readFile(json!, 'utf8')) as Recording;
    expect(exit).toEqual({ signal: 'SIGTERM', killedAfterMs: 1000 });
    expect(blocks).toMatchObject([{ ended: false, culprit: { functionName: 'hangForever', lineNumber: 3 } }]);
    expect(await parseJUnit(await readFile(junit!, 'utf8'))).toMatchObject({ failures: 1 });
    expect(await readFile(summary!, 'utf8')).toContain('**Ended: it was blocked for longer than 1.00 s.**');
  });
});

test('--kill-after ends a child that takes no SIGTERM, and nothing of the program is left', async () => {
  const command = ['sh', '-c', `node ${OWN_PORT} ${fixture('ignores-sigterm.cjs')}; echo after`];
  const { code, stdout, stderr } = await runCli(['run', '-q', '--kill-after', '1s', '--', ...command]);
  expect([code, stdout.toString()]).toEqual([124, '']);
  expect(stderr).toContain('at spinForever (');
  expect(stderr).toContain('loopwatch Ended the program by SIGKILL.');
  const pid = Number(/main thread of process (\d+)/.exec(stderr)?.[1]);
  expect(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => 'ended')).toMatch(/ended|\) Z /);
});

test('--kill-after leaves a program alone whose blocks are shorter, and one whose worker sleeps', async () => {
  const sleeps = `new (require('node:worker_threads').Worker)('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500)', { eval: true })`;
  expectSuccess(await runCli(['run', '--kill-after', '1', '--', 'node', OWN_PORT, '-e', sleeps]));
  expectSuccess(await runCli(['run', '--kill-after', '20', '--', 'node', OWN_PORT, fixture('blocks.cjs')]));
});

test('--kill-after ends a program that hangs in its first promise jobs, and names the function', async () => {
  const command = ['node', OWN_PORT, fixture('hangs-in-main.cjs')];
  const { code, stderr } = await runCli(['run', '--kill-after', '1', '--', ...command]);
  expect(code).toBe(124);
  expect(stderr).toMatch(/^loopwatch spinForever \(\S*hangs-in-main\.cjs:3\) took 100 % of the blocked time/m);
});

test('with --startup, --kill-after also ends a program that never starts', async () => {
  const command = ['node', OWN_PORT, '-e', 'for (;;);'];
  const { code, stderr } = await runCli(['run', '-q', '--startup', '--kill-after', '1', '--', ...command]);
  expect([code, stderr]).toEqual([124, expect.stringContaining('loopwatch Ended the program by SIGTERM.')]);
});

onLinux.each(['computes', 'sleeps'])(
  '--kill-after ends a program that hangs in a listener of exit, and %s',
  async (how) => {
    const command = ['node', OWN_PORT, fixture('hangs-at-exit.cjs'), how];
    const { code, stderr } = await runCli(['run', '-q', '--kill-after', '1', '--', ...command]);
    expect(code).toBe(124);
    expect(stderr).toMatch(/^loopwatch Ends the program: .* has not ended for \S+ s since its event "exit"/m);
    if (how === 'computes') expect(stderr).toContain('cleanUpForever (');
  },
);

test('--kill-after leaves a program alone that emits exit itself, and goes on', async () => {
  const command = ['node', OWN_PORT, fixture('hangs-at-exit.cjs'), 'goes-on'];
  const { code, stdout } = await runCli(['run', '-q', '--kill-after', '1', '--', ...command]);
  expect([code, stdout.toString()]).toEqual([0, 'has gone on\n']);
});

test('a process that does not answer all questions in time is ended without its dump', async () => {
  const env = { ...process.env, [ENV_RUN_DIRECTORY]: directory };
  const child = spawn(nodeBinary(24), [OWN_PORT, fixture('never-ends.cjs')], { env, stdio: 'ignore' });
  const lines: string[] = [];
  const killAfter = new KillAfter({
    limitMs: 1000,
    directory,
    color: false,
    prefixWidth: 0,
    say: (line) => lines.push(line),
    dumpDeadlineMs: 1,
  });
  killAfter.begins((signal) => child.kill(signal));
  killAfter.check({ blockedMains: () => [{ instance: String(child.pid), blockedMs: 2000 }] });
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals];
  expect([await killAfter.ended(), signal]).toEqual([true, 'SIGTERM']);
  expect(lines.slice(1)).toEqual([
    'No dump: the process has not answered all questions within 1.0 ms.',
    'Ended the program by SIGTERM.',
  ]);
});
