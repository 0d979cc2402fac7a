import { expect, test } from '@jest/globals';

import { fuzzServe, MAX_SLOWNESS } from '../support/fuzz-serve.js';

test('serve answers generated OTLP in both encodings, and its pages with what it has kept of it', async () => {
  const { requests, isAlive, slowness } = await fuzzServe({ requests: 200 });
  expect(isAlive).toBe(true);
  expect(requests).toBeGreaterThanOrEqual(50);
  expect(slowness).toBeLessThan(MAX_SLOWNESS);
});
