import { describe, expect, test } from '@jest/globals';
import { combinationPerMajor, describeCombination } from '@loopwatch/test-support';
import type { HistogramValue, RunResult } from '@loopwatch/test-support';

import { ATTR_CODE_FUNCTION_NAME, METRIC_EVENT_LOOP_BLOCKED_DURATION } from '../../src/semconv.ts';
import { expectCleanExit, runFixture, spansOfBlocks } from './support.ts';

/** How often each culprit stands on spans. */
function spansByCulprit(result: RunResult): Record<string, number> {
  return countBy(spansOfBlocks(result).map(({ attributes }) => [attributes[ATTR_CODE_FUNCTION_NAME], 1]));
}

/** How many blocks of each culprit the metrics count. */
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
  // Others are the machine's: a block of the test's own making is by one of these two.
  for (const [name, count] of counts) if (String(name) in totals) totals[String(name)]! += count;
  return totals;
}

describe.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
  '%s: a budget of spans',
  (_label, combination) => {
    test.each([
      ['of none keeps the first of each culprit', 0, 1],
      ['is shared among the culprits', 6, 3],
    ])('%s, and the metrics count every block', async (_budget, spansPerMinute, spansOfEach) => {
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
