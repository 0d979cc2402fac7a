import { expect, test } from '@jest/globals';

import { fuzzHttp, median } from '../support/http-fuzz.js';

test('no request ends, stalls or fills serve: five minutes of them, drawn by chance', async () => {
  const { requests, statuses, plainMs, fuzzedMs } = await fuzzHttp({ requests: 1_000_000, timeLimitMs: 300_000 });
  console.info(
    `${requests} requests, ${JSON.stringify(statuses)}, median ${median(fuzzedMs)} and plain ${median(plainMs)} ms`,
  );
  expect(requests).toBeGreaterThan(5_000);
}, 600_000);
