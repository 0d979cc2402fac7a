import { describe, expect, test } from '@jest/globals';
import { combinationPerMajor, describeCombination, median, quantile } from '@loopwatch/test-support';

import { measureAccuracy } from './accuracy.ts';

describe('Start and end of spans against what the program measured', () => {
  test.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
    '%s: are within half a millisecond in the median',
    async (_label, combination) => {
      const { starts, ends, spanStarts, spanEnds, found } = await measureAccuracy(combination, 60);

      expect(found).toBe(60);
      // On the thread's own time line: what we measure.
      expect(median(starts)).toBeLessThan(0.5);
      expect(median(ends)).toBeLessThan(0.5);
      expect(quantile(starts, 0.9)).toBeLessThan(2);
      expect(quantile(ends, 0.9)).toBeLessThan(2);
      // On the wall clock, whose whole milliseconds both the SDK and the program read.
      expect(median(spanStarts)).toBeLessThan(2);
      expect(median(spanEnds)).toBeLessThan(2);
    },
  );
});
