import { spawnSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';
import { sampledMajors } from '@loopwatch/test-support';

import { type CliResult, expectSuccess, fixture, runCli } from '../support/cli.js';
import { type HangOptions, TargetProcess } from '../support/target.js';

const CLI = fixture('../../dist/cli.cjs');

describe('loopwatch dump refuses, does no harm, and says what it expected', () => {
  async function refused(target: TargetProcess, ...options: readonly string[]): Promise<CliResult['stderr']> {
    const { code, stdout, stderr } = await runCli(['dump', ...options, String(target.pid)]);
    expect([code, stdout.toString(), target.isAlive]).toEqual([1, '', true]);
    return stderr;
  }
  const hang = (flags: HangOptions['flags']): Promise<TargetProcess> =>
    TargetProcess.hang('idle', flags === undefined ? {} : { flags });

  test('a program that is no Node.js', async () => {
    await using target = TargetProcess.command('sleep', '60');
    await expect(refused(target)).resolves.toMatch(/Expected a Node\.js process, found .*sleep\. It gets no signal/);
  });

  test('a process that does not exist', async () => {
    const { code, stderr } = await runCli(['dump', '2147483646']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('Expected a process with the id 2147483646, found none.'),
    ]);
  });

  test.each([['--disable-sigusr1'], ['--permission']])('a process that was started with %s', async (flag) => {
    await using target = await hang(['--allow-fs-read=*', flag].filter((f) => flag === '--permission' || f === flag));
    await expect(refused(target)).resolves.toContain(`found one that was started with ${flag}`);
  });

  // Node.js would write the snapshot, in which the process stands still.
  test.each([['--heapsnapshot-signal=SIGUSR1'], ['--report-on-signal', '--report-signal=SIGUSR1']])(
    'a process for which Node.js itself does something else on SIGUSR1: %s',
    async (...flags) => {
      await using target = await hang(['--inspect-port=0', ...flags]);
      await expect(refused(target)).resolves.toContain(`found one that was started with ${flags.at(-1)}, and does`);
    },
  );

  test('a port that another process has', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as AddressInfo;
    await using target = await hang([`--inspect-port=${port}`]);
    await expect(refused(target)).resolves.toContain(`it is taken by process ${process.pid} (`);
    await new Promise((resolve) => holder.close(resolve));
  });

  test('a program that takes SIGUSR1 for itself', async () => {
    await using target = await TargetProcess.hang('ownListener');
    await expect(refused(target, '--timeout', '1s')).resolves.toContain('a listener of its own for SIGUSR1');
    expect(target.output).toContain('got SIGUSR1\n');
  });

  test('a process that is stopped', async () => {
    await using target = await hang(undefined);
    target.kill('SIGSTOP');
    await expect(refused(target)).resolves.toContain(`kill -CONT ${target.pid}`);
  });
});

describe('loopwatch ps', () => {
  test("lists this user's Node.js processes, and which are watched", async () => {
    await using target = await TargetProcess.hang('idle');
    await using other = TargetProcess.command('sleep', '60');
    const result = await runCli(['ps', '--json']);
    expectSuccess(result);
    const { stdout } = result;
    const rows = JSON.parse(stdout.toString()) as { pid: number; watched: boolean; command: string; ageMs: number }[];
    expect(rows.find(({ pid }) => pid === target.pid)).toMatchObject({
      watched: false,
      command: expect.stringMatching(/hang\.cjs idle$/),
    });
    expect(rows.map(({ pid }) => pid)).not.toContain(other.pid);
    expect(rows.map(({ ageMs }) => ageMs)).toEqual(rows.map(({ ageMs }) => ageMs).sort((a, b) => b - a));
  });

  const onLinux = process.platform === 'linux' ? test : test.skip;
  onLinux.each(sampledMajors(20, 26))(
    'lists a process that has registered it in its code, on Node.js %d',
    async (major) => {
      await using target = TargetProcess.command(nodeBinary(major), fixture('instruments-itself.cjs'));
      await target.waitFor(/ready\n/);
      const isListed = async (): Promise<boolean | undefined> => {
        const { stdout } = await runCli(['ps', '--json']);
        const rows = JSON.parse(stdout.toString()) as { pid: number; watched: boolean }[];
        return rows.find(({ pid }) => pid === target.pid)?.watched;
      };
      // Its watchdog starts a moment later.
      for (let tries = 0; tries < 50 && (await isListed()) === false; tries++) await sleep(100);
      await expect(isListed()).resolves.toBe(true);
    },
  );

  test.each([
    ['a reader that has gone', '| true', '[0,""]'],
    ['a full disk', '> /dev/full', '[1,"loopwatch: Cannot write to stdout: '],
  ])('ends without a stack of its own at %s', (_label, redirection, expected) => {
    const script = `{ "$0" "$1" ps --json; echo "code $?" >&2; } ${redirection}`;
    const { stderr } = spawnSync('sh', ['-c', script, nodeBinary(), CLI], { encoding: 'utf8' });
    const [, text, code] = /^([^]*)code (\d+)\n$/.exec(stderr) ?? [];
    expect(JSON.stringify([Number(code), text?.trim()])).toContain(expected);
    expect(text).not.toContain('    at ');
  });
});
