import { expect, test } from '@jest/globals';
import { blockedSpans, describeCombination, epochMs, oldestAndNewest } from '@loopwatch/test-support';
import type { Attributes } from '@loopwatch/test-support';

import { ATTR_BLOCKED_CAUSE, ATTR_BLOCKED_GC_TIME } from '../../src/semconv.ts';
import { expectCleanExit, expectUnstarved } from './support.ts';

/** What the program's own observer has measured of one block. */
interface Measured {
  readonly lengthMs: number;
  readonly gcMs: number;
}

/** One collection is to be a block on a fast machine, too. */
const THRESHOLD_MS = 40;

/** Values that are so near to a limit decide nothing. */
const UNDECIDED_SHARE = 0.1;
const UNDECIDED_MS = 10;

/** Whether the block is `gc`, by what the program and the kernel have measured; undefined where that decides nothing. */
function isCollection({ lengthMs, gcMs }: Measured, runQueueMs: number): boolean | undefined {
  const share = gcMs / lengthMs;
  // The wait for a CPU may have made the block.
  const isNearLimit = Math.abs(share - 1 / 2) < UNDECIDED_SHARE || lengthMs - runQueueMs < THRESHOLD_MS + UNDECIDED_MS;
  return isNearLimit ? undefined : share > 1 / 2;
}

const combinations = oldestAndNewest.map((combination) => [describeCombination(combination), combination] as const);

test.concurrent.each(combinations)(
  'collections are measured from the start of a block on, also where V8 answers only when they are over: %s',
  (_label, combination) =>
    expectUnstarved(async (run) => {
      const result = await run(combination, 'collections.cjs', {
        flags: ['--expose-gc'],
        env: { LOOPWATCH_BLOCKED_THRESHOLD_MS: String(THRESHOLD_MS) },
      });
      expectCleanExit(result);
      const spans = blockedSpans(result);
      const judged = result.truths.map(({ id, startEpochMs, endEpochMs, runQueueMs = 0 }) => {
        const measured = result.notes.get(id) as Measured;
        const [span, ...others] = spans.filter(
          ({ startTime, endTime }) => epochMs(startTime) < endEpochMs && epochMs(endTime) > startEpochMs,
        );
        const { [ATTR_BLOCKED_CAUSE]: cause, [ATTR_BLOCKED_GC_TIME]: gcTime }: Attributes = span?.attributes ?? {};
        return { id, ...measured, runQueueMs, others, cause, reportedMs: Number(gcTime) * 1000 };
      });
      expect(judged.map(({ id }) => id)).toEqual(['once', 'inARow', 'inALoop', 'byAllocation', 'noneAtAll']);
      for (const block of judged) {
        const { gcMs, lengthMs, reportedMs, runQueueMs, cause } = block;
        const isRight = (isCollection(block, runQueueMs) ?? cause === 'gc') === (cause === 'gc');
        const isMeasured = Math.abs(reportedMs - gcMs) < Math.max(UNDECIDED_MS, lengthMs * UNDECIDED_SHARE);
        expect({ ...block, isRight, isMeasured }).toEqual({ ...block, others: [], isRight: true, isMeasured: true });
      }
    }),
);
