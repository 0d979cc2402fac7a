import { describe, expect, test } from '@jest/globals';
import { casesOn, majorsOfTier } from '@loopwatch/test-support';

import { fixture, runCli } from '../support/cli.js';
import { Scratch } from '../support/scratch.js';

const CUT_SHORT = 'or longer: the process has ended';
/** What the program computes for, ms. */
const COMPUTED_MS = 600;

// The signal arrives before the loop of the child iterates, where only what was written during the block is known, or
// right after its first tick, which reports the whole block.
const cases = [
  ['by SIGTERM as soon as it has sent a message', 'message', 'SIGTERM', undefined],
  ['by SIGKILL as soon as it has sent a message', 'message', 'SIGKILL', undefined],
  ['by SIGTERM as soon as it has written to stdout', 'output', 'SIGTERM', undefined],
  ['by SIGTERM as soon as it has answered a request', 'answer', 'SIGTERM', undefined],
  ['by SIGKILL while the block lasts', 'never', 'SIGKILL', false],
] as const;

describe.each(majorsOfTier)('on Node.js %d, a block is reported of a child that is killed', (major) => {
  test.concurrent.each(casesOn(major, cases))('%s', async (_, way, signal, hasEnded) => {
    await using scratch = await Scratch.make();
    const command = ['node', fixture('killed-after-block.cjs'), way, signal];
    const { stderr } = await runCli(['run', '--json', scratch.json, '--', ...command], { major });
    const { blocks } = await scratch.recording();
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
