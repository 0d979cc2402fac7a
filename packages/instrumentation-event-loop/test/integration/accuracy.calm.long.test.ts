import { describe, expect, test } from '@jest/globals';
import { combinationPerMajor, describeCombination, median, quantile } from '@loopwatch/test-support';

import { measureAccuracy } from './accuracy.ts';

describe("Start and end of block spans match the program's own measurement", () => {
  test.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
    '%s: within half a millisecond in the median',
    async (_label, combination) => {
      const { starts, ends, spanStarts, spanEnds, found } = await measureAccuracy(combination, 60);

      expect(found).toBe(60);
      // On the thread's monotonic clock, which the instrumentation measures with.
      expect(median(starts)).toBeLessThan(0.5);
      expect(median(ends)).toBeLessThan(0.5);
      expect(quantile(starts, 0.9)).toBeLessThan(2);
      expect(quantile(ends, 0.9)).toBeLessThan(2);
      // On the wall clock: the SDK and the program both read it in whole milliseconds.
      expect(median(spanStarts)).toBeLessThan(2);
      expect(median(spanEnds)).toBeLessThan(2);
    },
  );
});
