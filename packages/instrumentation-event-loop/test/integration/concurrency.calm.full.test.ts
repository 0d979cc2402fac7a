import { describe, expect, test } from '@jest/globals';
import { blockedSpans, combinations, describeCombination, epochMs, oldestAndNewest } from '@loopwatch/test-support';

import { expectCleanExit, expectUnstarved } from './support.ts';

/** A run on all combinations has as many in all as a job for one. */
const rounds = combinations.length > 1 ? 100 : 200;

describe('When one of ten concurrent requests blocks', () => {
  test.concurrent.each(oldestAndNewest.map((combination) => [describeCombination(combination), combination] as const))(
    '%s: the block span is always a child of that request',
    (_label, combination) =>
      expectUnstarved(async (run) => {
        const result = await run(combination, 'concurrent-requests.cjs', {
          args: [String(rounds)],
          telemetry: { http: true, instrumentation: { blockedThresholdMs: 50, spansPerMinute: 10_000 } },
          timeoutMs: 110_000,
        });
        expectCleanExit(result);

        const spans = blockedSpans(result);
        const parents = result.truths.map(({ id, startEpochMs, endEpochMs, spanId }) => {
          const middle = (startEpochMs + endEpochMs) / 2;
          const span = spans.find(({ startTime, endTime }) => epochMs(startTime) < middle && epochMs(endTime) > middle);
          return { id, expected: spanId, got: span?.parentSpanId };
        });
        expect(parents).toHaveLength(rounds);
        expect(parents.filter(({ expected, got }) => expected !== got)).toEqual([]);
      }),
  );
});
