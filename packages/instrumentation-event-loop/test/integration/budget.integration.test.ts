import { describe, expect, test } from '@jest/globals';
import { blockedSpans, combinationPerMajor, describeCombination, histogram } from '@loopwatch/test-support';

import {
  ATTR_BLOCKED_SUPPRESSED_COUNT,
  ATTR_CODE_FUNCTION_NAME,
  METRIC_EVENT_LOOP_BLOCKED_DURATION,
} from '../../src/semconv.ts';
import { expectCleanExit, runFixture } from './support.ts';

const suppressed = (attributes: Readonly<Record<string, unknown>>): number =>
  (attributes[ATTR_BLOCKED_SUPPRESSED_COUNT] as number | undefined) ?? 0;

describe.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
  '%s: a budget of spans',
  (_label, combination) => {
    test('of none keeps the first of each culprit, and every block in the metrics', async () => {
      const result = await runFixture(combination, 'two-culprits.cjs', {
        args: ['10', '60'],
        telemetry: { instrumentation: { blockedThresholdMs: 50, spansPerMinute: 0 } },
      });
      expectCleanExit(result);
      const names = blockedSpans(result).map(({ attributes }) => attributes[ATTR_CODE_FUNCTION_NAME]);
      expect(names.sort()).toEqual(['firstCulprit', 'secondCulprit']);
      expect(histogram(result, METRIC_EVENT_LOOP_BLOCKED_DURATION)?.count).toBe(10);
    });

    test('counts on the next span of a culprit what it left out', async () => {
      const result = await runFixture(combination, 'two-culprits.cjs', {
        args: ['60', '20'],
        telemetry: { instrumentation: { blockedThresholdMs: 50, spansPerMinute: 30 } },
      });
      expectCleanExit(result);
      const spans = blockedSpans(result);
      const blocks = histogram(result, METRIC_EVENT_LOOP_BLOCKED_DURATION)?.count;
      const accountedFor = spans.reduce((sum, { attributes }) => sum + 1 + suppressed(attributes), 0);
      expect(blocks).toBe(60);
      expect(spans.length).toBeLessThan(60);
      expect(spans.some(({ attributes }) => suppressed(attributes) > 0)).toBe(true);
      expect(accountedFor).toBeLessThanOrEqual(60);
    });
  },
);
