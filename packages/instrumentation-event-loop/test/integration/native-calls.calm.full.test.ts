import { availableParallelism } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import { describeCombination, judgedOn, oldestAndNewest, runProgram } from '@loopwatch/test-support';

import {
  ATTR_BLOCKED_CAUSE,
  ATTR_BLOCKED_PROFILE,
  ATTR_BLOCKED_STACK_QUALITY,
  ATTR_CODE_FUNCTION_NAME,
} from '../../src/semconv.ts';
import { fixtureTree, runFixture, spansOfBlocks } from './support.ts';

describe.each(oldestAndNewest.map((combination) => [describeCombination(combination), combination] as const))(
  '%s: a loop of native calls',
  (_label, combination) => {
    // The calls need not be longer than the interval of the samples.
    test.each(
      judgedOn(combination, [
        [4, 60],
        [60, 5],
      ] as const),
    )('of %d ms is named with the calls as its cause, and marked as seen after them', async (callMs, count) => {
      const result = await runFixture(combination, 'native-calls.cjs', { args: [String(callMs), String(count), '0'] });
      expect(spansOfBlocks(result).map(({ attributes }) => attributes)).toEqual([
        expect.objectContaining({
          [ATTR_CODE_FUNCTION_NAME]: 'hashPasswords',
          [ATTR_BLOCKED_CAUSE]: 'native',
          [ATTR_BLOCKED_STACK_QUALITY]: 'post_native',
        }),
      ]);
    });

    // The kernel of Linux says whose the CPU time is.
    const onLinux = process.platform === 'linux' ? test : test.skip;
    onLinux('of the file system, of some microseconds each, is named with the calls as its cause', async () => {
      const result = await runFixture(combination, 'file-sizes.cjs');
      expect(spansOfBlocks(result).map(({ attributes }) => attributes)).toEqual([
        expect.objectContaining({ [ATTR_CODE_FUNCTION_NAME]: 'sumSizes', [ATTR_BLOCKED_CAUSE]: 'native' }),
      ]);
    });

    test('on a machine with twice as much to do as it has cores is not taken for JavaScript', async () => {
      const args = ['60', '8', String(2 * availableParallelism())];
      const tree = await fixtureTree(combination);
      const [span] = spansOfBlocks(await runProgram({ combination, program: 'native-calls.cjs', tree, args }));
      expect(span?.attributes).toMatchObject({
        [ATTR_CODE_FUNCTION_NAME]: 'hashPasswords',
        [ATTR_BLOCKED_STACK_QUALITY]: 'post_native',
      });
      expect(span?.attributes[ATTR_BLOCKED_CAUSE]).not.toBe('javascript');
      // The functions that are called after a call has returned have hardly any of the time.
      const profile = String(span?.attributes[ATTR_BLOCKED_PROFILE]).split('\n');
      const timeOf = (lines: readonly string[]): number =>
        lines.reduce((sum, line) => sum + Number(/\d+$/.exec(line)?.[0]), 0);
      expect(timeOf(profile.filter((line) => /pbkdf2Sync \d+$/.test(line)))).toBeGreaterThan(timeOf(profile) / 2);
    });
  },
);
