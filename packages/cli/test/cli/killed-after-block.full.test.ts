import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { nodeMajors } from '@loopwatch/node-binaries';

import type { Recording } from '../../src/model/recording/recording.js';
import { fixture, runCli } from '../support/cli.js';

const LINE = /\.cjs:\d+ /;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-killed-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

// The signal arrives before the loop of the child iterates, where only what was written during the block is known, or
// right after its first tick, which reports the whole block.
describe.each(nodeMajors)('on Node.js %d, a block is reported of a child that is killed', (major) => {
  test.each([
    ['by SIGTERM as soon as it has sent a message', 'message', 'SIGTERM', LINE],
    ['by SIGKILL as soon as it has sent a message', 'message', 'SIGKILL', LINE],
    ['by SIGTERM as soon as it has written to stdout', 'output', 'SIGTERM', LINE],
    ['by SIGTERM as soon as it has answered a request', 'answer', 'SIGTERM', LINE],
    ['by SIGKILL while the block lasts', 'never', 'SIGKILL', /\.cjs:\d+ .* or longer: the process has ended/],
  ])('%s', async (_, way, signal, output) => {
    const json = path.join(directory, 'out.json');
    const command = ['node', fixture('killed-after-block.cjs'), way, signal];
    const { stderr } = await runCli(['run', '--json', json, '--', ...command], { major });
    const { blocks } = JSON.parse(await readFile(json, 'utf8')) as Recording;
    const named = blocks.filter(({ culprit }) => /computeResult|burnCpu/.test(culprit?.functionName ?? ''));
    expect(named).toHaveLength(1); // also where its thread has reported it after all
    expect(named[0]!.durationMs).toBeGreaterThan(300);
    expect(stderr).toMatch(output);
    expect(stderr).toMatch(/(burn|killed-after-block)\.cjs:\d+ /);
  });
});
