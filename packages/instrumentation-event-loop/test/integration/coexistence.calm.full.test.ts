import { describe, expect, test } from '@jest/globals';
import { describeCombination, histogram, oldestAndNewest } from '@loopwatch/test-support';

import {
  ATTR_CODE_FUNCTION_NAME,
  METRIC_EVENT_LOOP_BLOCKED_DURATION,
  METRIC_EVENT_LOOP_LAG,
} from '../../src/semconv.ts';
import { expectCleanExit, runFixture, spansOfBlocks } from './support.ts';

describe.each(oldestAndNewest.map((combination) => [describeCombination(combination), combination] as const))(
  '%s',
  (_label, combination) => {
    test.concurrent('two copies of the package and three instances report a block once', async () => {
      const twice = await runFixture(combination, 'two-formats.mjs', { preload: 'none' });
      const once = await runFixture(combination, 'one-block.cjs');
      expectCleanExit(twice);
      expect(spansOfBlocks(twice)).toHaveLength(1);
      expect(histogram(twice, METRIC_EVENT_LOOP_BLOCKED_DURATION)?.count).toBe(1);
      const lagOf = (result: typeof once): number => histogram(result, METRIC_EVENT_LOOP_LAG)!.count;
      expect(lagOf(twice) / lagOf(once)).toBeLessThan(1.6);
    });

    test.concurrent(
      'the timers of the instrumentation do not retain the stores that were active when it was enabled',
      async () => {
        const result = await runFixture(combination, 'context-kept.cjs', { preload: 'none', flags: ['--expose-gc'] });
        expectCleanExit(result);
        expect(spansOfBlocks(result)).toHaveLength(1);
        expect(result.notes.get('kept')).toEqual({ store: false, value: false });
      },
    );

    test.concurrent('a block right before the shutdown of the SDK is reported', async () => {
      const result = await runFixture(combination, 'shutdown-after-block.cjs', { preload: 'none' });
      expectCleanExit(result);
      expect(spansOfBlocks(result)).toHaveLength(1);
    });

    test.concurrent('a flush at the end of the callback that blocks exports that block', async () => {
      const result = await runFixture(combination, 'flush-in-block.cjs', { preload: 'none' });
      expectCleanExit(result);
      const spans = spansOfBlocks(result);
      expect(spans.map(({ attributes }) => attributes[ATTR_CODE_FUNCTION_NAME])).toEqual(['spin']);
      expect(spans[0]!.parentSpanId).toBe(result.truths[0]!.spanId);
    });
  },
);
