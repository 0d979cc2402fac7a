import { expect, test } from '@jest/globals';

import { fuzzHttp } from '../support/http-fuzz.js';

test('no request ends, stalls or fills serve: five hundred, drawn by chance', async () => {
  const { requests, statuses } = await fuzzHttp({ requests: 500, timeLimitMs: 30_000 });
  expect(requests).toBeGreaterThan(200);
  // What was sent reaches the handlers, and not only the parser.
  expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '400', '401', '403', '404', '405']));
}, 90_000);
