import { describe, expect, test } from '@jest/globals';
import { oldestAndNewest, describeCombination, epochMs, median } from '@loopwatch/test-support';

import { ATTR_BLOCKED_STACK_QUALITY, ATTR_CODE_FUNCTION_NAME } from '../../src/semconv.ts';
import { expectCleanExit, expectUnstarved, spansOfBlocks } from './support.ts';

/** With more iterations per millisecond than this, a timer paces the tick. */
const manyIterations = 5;
const blocks = 24;

const both = oldestAndNewest.map((combination) => [describeCombination(combination), combination] as const);

describe('On a loop that runs thousands of iterations a second', () => {
  describe('each block is reported once, with its function and its length', () => {
    test.concurrent.each(both)('%s', (_label, combination) =>
      expectUnstarved(async (run) => {
        const result = await run(combination, 'many-iterations.cjs', { args: [String(blocks)] });
        expectCleanExit(result);
        expect(result.notes.get('iterationsPerMs')).toBeGreaterThan(manyIterations);

        const spans = spansOfBlocks(result);
        expect(spans.map(({ attributes }) => attributes[ATTR_CODE_FUNCTION_NAME])).toEqual(
          result.truths.map(({ id }) => id),
        );
        for (const { attributes } of spans) expect(attributes[ATTR_BLOCKED_STACK_QUALITY]).toBe('live');
        const errors = result.truths.map(({ startEpochMs, endEpochMs }, index) => {
          const { startTime, endTime } = spans[index]!;
          return Math.abs(epochMs(endTime) - epochMs(startTime) - (endEpochMs - startEpochMs));
        });
        // The start is at most one millisecond off on a loop whose timers are on time.
        expect(median(errors)).toBeLessThan(1.5);
      }),
    );
  });
});
