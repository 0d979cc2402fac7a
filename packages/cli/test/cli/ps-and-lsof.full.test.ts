import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';

import { listeningOf } from '../../src/cli/inspect/process/sockets.js';
import type { ProcessDump } from '../../src/model/processes/dump.js';
import { type CliResult, expectSuccess, fixture, runCli } from '../support/cli.js';
import { TargetProcess } from '../support/target.js';

/*
 * The implementation for macOS, by the real `ps` and `lsof`. It runs on Linux too, and then reads nothing of `/proc`:
 * what only macOS shows is what the columns of its own `ps` contain.
 */
const onUnix = process.platform === 'win32' ? describe.skip : describe;
const env = { LOOPWATCH_TEST_PLATFORM: 'ps' };
/** A younger process could still be without its handler for the signal, which `ps` does not show. */
const STARTED_MS = 4_000;

const loopwatch = (...args: string[]): Promise<CliResult> => runCli(args, { env });

onUnix('by ps and lsof', () => {
  test('ps, dump, attach and doctor look at a process, and leave it as it was', async () => {
    await using target = await TargetProcess.hang('loop', { seconds: 40 });
    await using other = TargetProcess.command('sleep', '60');
    await sleep(STARTED_MS);

    const list = await loopwatch('ps', '--json');
    const rows = JSON.parse(list.stdout.toString()) as {
      pid: number;
      watched: boolean;
      command: string;
      ageMs: number;
    }[];
    expect(rows.find(({ pid }) => pid === target.pid)).toMatchObject({
      watched: false,
      command: expect.stringMatching(/hang\.cjs loop 40$/),
    });
    expect(rows.map(({ pid }) => pid)).not.toContain(other.pid);

    const dumped = await loopwatch('dump', '--json', String(target.pid));
    const { threads } = JSON.parse(dumped.stdout.toString()) as ProcessDump;
    expect(threads[0]!.stack.map(({ functionName }) => functionName)).toEqual(
      expect.arrayContaining(['findParent', 'start']),
    );

    const attached = await loopwatch('attach', String(target.pid));
    expect([attached.code, attached.stderr]).toEqual([1, expect.stringContaining('loopwatch run -- <command>')]);

    const refused = await loopwatch('dump', String(other.pid));
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/Expected a Node.js process, found .*sleep/),
    ]);
    expect(other.isAlive).toBe(true);

    const examined = await loopwatch('doctor', String(target.pid));
    expect(examined.stdout.toString()).toMatch(/hang\.cjs/);
    expect(examined.stderr).toBe('');
    expect(target.isAlive).toBe(true);
  });

  test('dump closes the inspector of an idle process', async () => {
    await using target = await TargetProcess.hang('idle');
    await sleep(STARTED_MS);
    const result = await loopwatch('dump', '--json', String(target.pid));
    expectSuccess(result);
    const { stdout } = result;
    expect((JSON.parse(stdout.toString()) as ProcessDump).threads[0]).toMatchObject({ threadId: 0, state: 'idle' });
    while (listeningOf(target.pid).length > 0) await sleep(50);
    expect(target.isAlive).toBe(true);
  });

  test('dump refuses a process whose NODE_OPTIONS take its handler away', async () => {
    await using target = TargetProcess.command(
      'env',
      'NODE_OPTIONS=--title a=b --disable-sigusr1',
      nodeBinary(),
      fixture('hang.cjs'),
      'idle',
    );
    await sleep(STARTED_MS);
    const { stderr } = await loopwatch('dump', String(target.pid));
    expect(stderr).toContain('started with --disable-sigusr1');
    expect(target.isAlive).toBe(true);
  });

  test('dump refuses a process that has just started', async () => {
    await using target = TargetProcess.command(nodeBinary(), fixture('hang.cjs'), 'idle');
    const { stderr } = await loopwatch('dump', String(target.pid));
    expect(stderr).toContain('It may still be starting: try again in some seconds.');
    expect(target.isAlive).toBe(true);
  });
});
