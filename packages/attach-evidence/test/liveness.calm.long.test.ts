import { expect, test } from '@jest/globals';
import { workspaceNodeMajor } from '@loopwatch/node-binaries';

import { measureCost } from '../src/parts/liveness/measure-cost.ts';
import { measureLatency } from '../src/parts/liveness/measure-latency.ts';
import { BLOCKED_SECONDS, cost } from '../src/settings.ts';
import { seededRandom } from '../src/statistics.ts';

/** More than a bare server of node:net in a worker thread of the same process, which is asked in turn. */
const EXTRA_MS = 10;

test('/livez answers as soon as a bare server in a worker thread, idle and while the main thread is blocked for 30 s', async () => {
  const { idle, blocked } = await measureLatency(workspaceNodeMajor, BLOCKED_SECONDS, seededRandom(1));
  for (const { requests, livez, bare } of [idle, blocked]) {
    expect(requests).toBeGreaterThan(300);
    expect(livez.p50Ms).toBeLessThan(bare.p50Ms + EXTRA_MS);
    expect(livez.p99Ms).toBeLessThan(2 * bare.p99Ms + EXTRA_MS);
  }
}, 180_000);

test('/livez, asked each second, costs hardly more than a bare server in a worker thread', async () => {
  const { askedEachSecond, bareAskedEachSecond } = await measureCost(workspaceNodeMajor, cost);
  expect(askedEachSecond.low).toBeLessThan(2 * bareAskedEachSecond.high);
}, 400_000);
