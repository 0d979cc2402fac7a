import { test } from '@jest/globals';

import { fuzzServe } from '../support/fuzz-serve.js';

const SECONDS = Number(process.env.LOOPWATCH_FUZZ_SECONDS ?? 180);

test(
  'serve answers generated OTLP for minutes, and its pages with what it has kept of it',
  async () => {
    await fuzzServe({ seconds: SECONDS });
  },
  (SECONDS + 120) * 1_000,
);
