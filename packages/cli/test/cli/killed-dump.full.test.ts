import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';

import { listeningOf } from '../../src/cli/inspect/process/sockets.js';
import { startCli } from '../support/cli.js';
import { OWN_PORT, TargetProcess } from '../support/target.js';

/** From before the signal to after the first answer, ms, after the process has got the signal or is about to get it. */
const MOMENTS_MS = [0, 6, 12, 20, 34];
/** A process that has answered closes its inspector 10 s after its `loopwatch` was killed. */
const CLOSED_WITHIN_MS = 15_000;

/** A dump of it takes a while. */
const ANSWERS_LATE = `console.log('ready');
setInterval(() => { for (const end = Date.now() + 200; Date.now() < end;); }, 250);`;
/** From when a run has made its directory to when its program runs, ms. */
const RUN_MOMENTS_MS = [0, 4, 10, 20, 40];
/** A dump that a signal ends closes the inspector itself, long before that. */
const CLOSED_BY_CLI_WITHIN_MS = 5_000;

const catchesNothing = async (pid: number, withinMs = CLOSED_WITHIN_MS): Promise<boolean> => {
  const deadline = performance.now() + withinMs;
  while (listeningOf(pid).length > 0) {
    if (performance.now() > deadline) return false;
    await sleep(50);
  }
  return true;
};

test.each(['dump', 'attach'])('a %s that is killed at any moment leaves no inspector open', async (command) => {
  const killed = MOMENTS_MS.map(async (afterMs) => {
    await using target = await TargetProcess.hang('idle', { killAfterMs: 120_000 });
    const cli = startCli([command, String(target.pid)]);
    // The inspector is about to open.
    while (listeningOf(target.pid).length === 0 && cli.child.exitCode === null) await sleep(1);
    await sleep(afterMs);
    cli.child.kill('SIGKILL');
    await cli.result;
    // It may open after that.
    await sleep(500);
    return [afterMs, await catchesNothing(target.pid), target.isAlive];
  });
  await expect(Promise.all(killed)).resolves.toEqual(MOMENTS_MS.map((afterMs) => [afterMs, true, true]));
});

/** It listens for all three at once, and Node.js itself does not for SIGHUP. */
async function listensForSignals(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mask = BigInt(`0x${/^SigCgt:\s*(\w+)/m.exec(status)![1]!}`);
  return ((mask >> BigInt(constants.signals.SIGHUP - 1)) & 1n) === 1n;
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('a dump that %s ends closes the inspector', async (signal) => {
  await using target = TargetProcess.command(nodeBinary(), OWN_PORT, '-e', ANSWERS_LATE);
  await target.waitFor(/ready/);
  const cli = startCli(['dump', String(target.pid)]);
  // Earlier, the signal has its default effect, and another program closes the inspector.
  while (!(await listensForSignals(cli.child.pid!)) && cli.child.exitCode === null) await sleep(1);
  cli.child.kill(signal);
  expect((await cli.result).signal).toBe(signal);
  expect(await catchesNothing(target.pid, CLOSED_BY_CLI_WITHIN_MS)).toBe(true);
  expect(target.isAlive).toBe(true);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'a run that %s ends before its program leaves no file',
  async (signal) => {
    const directory = await mkdtemp(path.join(tmpdir(), 'ended-run-'));
    try {
      for (const afterMs of RUN_MOMENTS_MS) {
        const cli = startCli(['run', '--', 'node', '-e', 'setInterval(() => {}, 1000)'], {
          env: { TMPDIR: directory },
        });
        while ((await readdir(directory)).length === 0 && cli.child.exitCode === null) await sleep(1);
        await sleep(afterMs);
        cli.child.kill(signal);
        expect([afterMs, (await cli.result).signal, await readdir(directory)]).toEqual([afterMs, signal, []]);
      }
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
);
