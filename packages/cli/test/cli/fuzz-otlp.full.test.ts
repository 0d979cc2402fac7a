import { test } from '@jest/globals';

import { fuzzServe } from '../support/fuzz-serve.js';

test('serve answers generated OTLP in both encodings, and its pages with what it has kept of it', async () => {
  await fuzzServe({ requests: 200 });
});
