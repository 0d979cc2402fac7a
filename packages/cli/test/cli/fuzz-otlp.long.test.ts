import { expect, test } from '@jest/globals';

import { fuzzServe, MAX_SLOWNESS } from '../support/fuzz-serve.js';

const SECONDS = Number(process.env.LOOPWATCH_FUZZ_SECONDS ?? 180);

test(
  'serve answers generated OTLP for minutes, and its pages with what it has kept of it',
  async () => {
    const { requests, isAlive, slowness } = await fuzzServe({ seconds: SECONDS });
    expect(isAlive).toBe(true);
    expect(requests).toBeGreaterThanOrEqual(50);
    expect(slowness).toBeLessThan(MAX_SLOWNESS);
  },
  (SECONDS + 120) * 1_000,
);
