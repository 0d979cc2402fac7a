import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from '@jest/globals';

import { listeningOf } from '../../src/cli/inspect/process/sockets.js';
import { startCli } from '../support/cli.js';
import { TargetProcess } from '../support/target.js';

/** From before the signal to after the first answer, ms, after the process has got the signal or is about to get it. */
const MOMENTS_MS = [0, 6, 12, 20, 34];
/** A process that has answered closes its inspector 10 s after its `loopwatch` was killed. */
const CLOSED_WITHIN_MS = 15_000;

const catchesNothing = async (pid: number): Promise<boolean> => {
  const deadline = performance.now() + CLOSED_WITHIN_MS;
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
