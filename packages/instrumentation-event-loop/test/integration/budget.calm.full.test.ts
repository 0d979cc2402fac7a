import { describe, expect, test } from '@jest/globals';
import { describeCombination, judgedOn, oldestAndNewest } from '@loopwatch/test-support';
import type { HistogramValue, RunResult } from '@loopwatch/test-support';

import { ATTR_CODE_FUNCTION_NAME, METRIC_EVENT_LOOP_BLOCKED_DURATION } from '../../src/semconv.ts';
import { expectCleanExit, runFixture, spansOfBlocks } from './support.ts';

/** Number of spans of each culprit. */
function spansByCulprit(result: RunResult): Record<string, number> {
  return countBy(spansOfBlocks(result).map(({ attributes }) => [attributes[ATTR_CODE_FUNCTION_NAME], 1]));
}

/** Number of blocks of each culprit in the metrics. */
function blocksByCulprit({ metrics }: RunResult): Record<string, number> {
  return countBy(
    metrics
      .filter(({ name }) => name === METRIC_EVENT_LOOP_BLOCKED_DURATION)
      .flatMap(({ dataPoints }) => dataPoints)
      .map(({ attributes, value }) => [attributes[ATTR_CODE_FUNCTION_NAME], (value as HistogramValue).count]),
  );
}

function countBy(counts: readonly (readonly [unknown, number])[]): Record<string, number> {
  const totals: Record<string, number> = { firstCulprit: 0, secondCulprit: 0 };
  // The fixture's blocks have these two culprits. A busy machine may add blocks with others.
  for (const [name, count] of counts) if (String(name) in totals) totals[String(name)]! += count;
  return totals;
}

describe.each(oldestAndNewest.map((combination) => [describeCombination(combination), combination] as const))(
  '%s: a span budget',
  (_label, combination) => {
    test.concurrent.each(
      judgedOn(combination, [
        ['of 0 still exports the first span of each culprit', 0, 1],
        ['is shared among the culprits', 6, 3],
      ] as const),
    )('%s, and the metrics count every block', async (_budget, spansPerMinute, spansOfEach) => {
      const result = await runFixture(combination, 'two-culprits.cjs', {
        args: ['10', '60'],
        telemetry: { instrumentation: { blockedThresholdMs: 50, spansPerMinute } },
      });
      expectCleanExit(result);
      expect(spansByCulprit(result)).toEqual({ firstCulprit: spansOfEach, secondCulprit: spansOfEach });
      expect(blocksByCulprit(result)).toEqual({ firstCulprit: 5, secondCulprit: 5 });
    });
  },
);
