import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOn, sampledCombinations, sampledMajors } from '@loopwatch/test-support';

import type { Recording } from '../../src/model/recording/recording.js';
import { expectSuccess, fixture, runCli, type RunningCli, startCli } from '../support/cli.js';
import { expectStateLike, TargetProcess } from '../support/target.js';

/** Of a process that nothing watches. */
const UNTOUCHED = { isWrapped: [false, false, false, false], subscribed: [], registry: 'undefined' };
const STOPPED = /its debugger has stopped the thread for a moment at each question/;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-attach-by-stops-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** The CLI, for which V8 evaluates nothing in an interrupt: see the fixture. */
const nextV8 = (how: 'holds' | 'refuses'): Readonly<Record<string, string>> => ({
  TMPDIR: directory,
  NODE_OPTIONS: `--require ${fixture('next-v8.cjs')}`,
  NEXT_V8: how,
});

function attachTo(target: TargetProcess, how: 'holds' | 'refuses'): RunningCli {
  const json = path.join(directory, 'out.json');
  return startCli(['attach', '--timeout', '1s', '--json', json, String(target.pid)], { env: nextV8(how) });
}

const recording = async (): Promise<Recording> =>
  JSON.parse(await readFile(path.join(directory, 'out.json'), 'utf8')) as Recording;

describe('Where V8 evaluates nothing in an interrupt, `attach`', () => {
  test.each(
    sampledMajors(20, 26).flatMap((major) =>
      casesOn(major, ['holds', 'refuses'] as const, sampledCombinations(20, 26), 1).map((how) => [major, how] as const),
    ),
  )(
    'stops a blocked thread, names its code, reports the block and leaves the process as it was, on Node.js %d that %s',
    async (major, how) => {
      await using target = await TargetProcess.hang('loop', { major, seconds: 12 });
      const cli = attachTo(target, how);
      await cli.waitFor(/Its main thread is blocked, in .*findParent \S*hang\.cjs:\d+/);
      await cli.waitFor(STOPPED);
      await target.waitFor(/turns\n/);
      await cli.waitFor(/ s +\w+ +(findParent|(≈ )?goesOn) \S*hang\.cjs:\d+\b(?!.*still blocked)/);
      cli.child.kill('SIGINT');
      expectSuccess(await cli.result);
      const [block] = (await recording()).blocks.toSorted((one, other) => other.durationMs - one.durationMs);
      expect(block).toMatchObject({ ended: true, cause: 'javascript', threadId: 0 });
      expect(block!.culprit?.functionName).toMatch(/^(findParent|goesOn)$/);
      await expectStateLike(target, UNTOUCHED);
    },
  );

  test('stops no thread that answers by its loop', async () => {
    await using target = await TargetProcess.hang('server');
    const [, port] = await target.waitFor(/port (\d+)\n/);
    const cli = attachTo(target, 'holds');
    await cli.waitFor(/Attached to process/);
    await (await fetch(`http://127.0.0.1:${port}/page`)).text();
    await cli.waitFor(/renderPage/);
    cli.child.kill('SIGINT');
    const { code, stderr } = await cli.result;
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(STOPPED)]);
  });

  test('stops no thread in a native call, and says that it is in one', async () => {
    await using target = await TargetProcess.hang('native');
    const { code, stderr } = await runCli(['attach', '--timeout', '1s', String(target.pid)], { env: nextV8('holds') });
    expect([code, stderr]).toEqual([1, expect.stringContaining('inside a call that V8 cannot interrupt')]);
  });
});
