import { describe, expect, test } from '@jest/globals';
import { oldestAndNewest, describeCombination, median, quantile } from '@loopwatch/test-support';

import { measureAccuracy } from './accuracy.ts';

/** Errors as shares of the length of their block. */
function shares(errors: readonly number[], lengths: readonly number[]): number[] {
  return errors.map((error, index) => error / lengths[index]!);
}

// In milliseconds, on a calm machine: accuracy.calm.long.test.ts.
describe('Start and end of spans, compared with what the program measured', () => {
  test.each(oldestAndNewest.map((combination) => [describeCombination(combination), combination] as const))(
    '%s: differ by at most a fiftieth of the block in the median',
    async (_label, combination) => {
      const { lengths, starts, ends, spanStarts, spanEnds, found } = await measureAccuracy(combination, 30);
      expect(found).toBe(30);
      for (const errors of [starts, ends, spanStarts, spanEnds]) {
        expect(median(shares(errors, lengths))).toBeLessThan(0.02);
        expect(quantile(shares(errors, lengths), 0.9)).toBeLessThan(0.05);
      }
    },
  );
});
