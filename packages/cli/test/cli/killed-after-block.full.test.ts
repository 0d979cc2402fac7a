import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { nodeMajors } from '@loopwatch/node-binaries';

import type { Recording } from '../../src/model/recording/recording.js';
import { fixture, runCli } from '../support/cli.js';

const CUT_SHORT = 'or longer: the process has ended';
/** What the program computes for, ms. */
const COMPUTED_MS = 600;

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
    ['by SIGTERM as soon as it has sent a message', 'message', 'SIGTERM', undefined],
    ['by SIGKILL as soon as it has sent a message', 'message', 'SIGKILL', undefined],
    ['by SIGTERM as soon as it has written to stdout', 'output', 'SIGTERM', undefined],
    ['by SIGTERM as soon as it has answered a request', 'answer', 'SIGTERM', undefined],
    ['by SIGKILL while the block lasts', 'never', 'SIGKILL', false],
  ])('%s', async (_, way, signal, hasEnded) => {
    const json = path.join(directory, 'out.json');
    const command = ['node', fixture('killed-after-block.cjs'), way, signal];
    const { stderr } = await runCli(['run', '--json', json, '--', ...command], { major });
    const { blocks } = JSON.parse(await readFile(json, 'utf8')) as Recording;
    const named = blocks.filter(({ culprit }) => /computeResult|burnCpu/.test(culprit?.functionName ?? ''));
    expect(named).toHaveLength(1); // also where its thread has reported it after all
    const { ended, durationMs } = named[0]!;
    expect(ended).toBe(hasEnded ?? ended);
    // A block that its tick has reported has its whole length. Of any other, the length so far, and that it is one.
    expect(durationMs).toBeGreaterThan(ended ? COMPUTED_MS * 0.95 : COMPUTED_MS / 2);
    const line = stderr.split('\n').find((text) => /(burn|killed-after-block)\.cjs:\d+ /.test(text));
    expect(line).toBeDefined();
    expect(stderr.includes(CUT_SHORT)).toBe(!ended);
    // The kernel ends a write in the middle when its process is killed: at most the line that was being written is lost.
    expect(/(\d+) lines? of the process could not be read/.exec(stderr)?.[1] ?? '1').toBe('1');
  });
});
