import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from '@jest/globals';
import { casesOn, sampledCombinations, sampledMajors } from '@loopwatch/test-support';
import { freePort } from '@loopwatch/test-support/free-port';

import type { ProcessDump } from '../../src/model/processes/dump.js';
import { expectSuccess, runCli } from '../support/cli.js';
import { expectState, TargetProcess } from '../support/target.js';

const ROUNDS = 6;
/** Between the starts of two commands: the inspector opens and closes at any moment of the later ones. */
const STEP_MS = 60;
/** Shared by the two majors: in each, the commands start at other moments. */
const rounds = Array.from({ length: ROUNDS }, (_, round) => round);

// Each of them finds the inspector closed, open, or about to open or close.
test.each(sampledMajors(20, 26))(
  'any number of dumps and an attach at the same time answer, and leave the process as it was, on Node.js %d',
  async (major) => {
    await using target = await TargetProcess.hang('idle', { major, flags: [`--inspect-port=${await freePort()}`] });
    const before = await target.state();
    for (const round of casesOn(major, rounds, sampledCombinations(20, 26), 1)) {
      const attached = runCli(['attach', '--for', '1s', String(target.pid)]);
      const dumps = await Promise.all(
        [0, 1, 2].map(async (index) => {
          await sleep((index * ROUNDS + round) * STEP_MS);
          return runCli(['dump', '--json', String(target.pid)]);
        }),
      );
      for (const { code, stderr, stdout } of dumps) {
        expect([code, stderr]).toEqual([0, '']);
        const { threads } = JSON.parse(stdout.toString()) as ProcessDump;
        expect(threads.flatMap(({ stack }) => stack.map(({ filePath }) => filePath))).not.toContainEqual(
          expect.stringContaining('loopwatch:'),
        );
      }
      expectSuccess(await attached);
    }
    await expectState(target, before);
  },
);
