import { median, quantile } from '@loopwatch/test-support';
import type { Combination } from '@loopwatch/test-support';

import { measureAccuracy } from '../integration/accuracy.ts';

/** Errors of the reported start and end of blocks, in milliseconds. */
export interface Times {
  readonly combination: Combination;
  readonly blocks: number;
  readonly startMedianMs: number;
  readonly startP95Ms: number;
  readonly endMedianMs: number;
  readonly endP95Ms: number;
}

export async function measureTimes(combination: Combination): Promise<Times> {
  const { starts, ends, found } = await measureAccuracy(combination, 100);
  return {
    combination,
    blocks: found,
    startMedianMs: median(starts),
    startP95Ms: quantile(starts, 0.95),
    endMedianMs: median(ends),
    endP95Ms: quantile(ends, 0.95),
  };
}
