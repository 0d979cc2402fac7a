import { beforeAll, describe, expect, test } from '@jest/globals';
import { describeCombination, durationMs, histogram, sampledCombinations } from '@loopwatch/test-support';
import type { Combination, RunResult, SpanRecord } from '@loopwatch/test-support';

import {
  ATTR_LIBUV_THREAD_POOL_HOLDERS,
  ATTR_LIBUV_THREAD_POOL_QUEUED,
  ATTR_LIBUV_THREAD_POOL_REQUESTS,
  ATTR_LIBUV_THREAD_POOL_SIZE,
  METRIC_LIBUV_THREAD_POOL_BUSY,
  METRIC_LIBUV_THREAD_POOL_QUEUE_WAIT,
  SPAN_LIBUV_THREAD_POOL_STARVED,
} from '../../src/semconv.ts';
import { expectCleanExit } from './support.ts';
import { node20, node24, runOnce } from './thread-support.ts';

const labelled = (combinations: readonly Combination[]) =>
  combinations.map((combination) => [describeCombination(combination), combination] as const);

async function runPool(
  on: Combination,
  way: 'files' | 'hashes' | 'nothing',
  options: { readonly size?: number; readonly instrumentation?: object } = {},
): Promise<RunResult> {
  const { size, instrumentation = {} } = options;
  const result = await runOnce(on, 'thread-pool-program.cjs', {
    args: [way],
    telemetry: { instrumentation, victims: true },
    ...(size === undefined ? {} : { env: { UV_THREADPOOL_SIZE: String(size) } }),
  });
  expectCleanExit(result);
  return result;
}

function starvationsOf({ spans }: RunResult): SpanRecord[] {
  return spans.filter(({ name }) => name === SPAN_LIBUV_THREAD_POOL_STARVED);
}

/** The one report of a run in which one task waits, for less than ten seconds. */
function starvationOf(result: RunResult): SpanRecord {
  const found = starvationsOf(result);
  expect(found).toHaveLength(1);
  return found[0]!;
}

/** The watchdog's task comes at most a look (200 ms), without a view of the threads a second, after the program's. */
function expectLength(result: RunResult, looksEveryMs: number): void {
  const { ms: waitedMs } = result.notes.get('waits') as { readonly ms: number };
  const reportedMs = durationMs(starvationOf(result));
  expect(reportedMs).toBeLessThan(waitedMs * 1.2);
  expect(reportedMs).toBeGreaterThan((waitedMs - looksEveryMs) * 0.8);
}

const fullPool =
  'a pool whose threads wait for files is reported with its threads, its queue and the length of the wait';

/** Programs that wait for most of their time run side by side. */
const besides = {
  free: () => runPool(node24, 'nothing'),
  off: () => runPool(node24, 'files', { instrumentation: { threadPool: false } }),
  one: () => runPool(node24, 'files', { size: 1 }),
  many: () => runPool(node24, 'files', { size: 64 }),
  unseen: () => runPool(node20, 'files', { size: 1 }),
};

// Side by side: these programs wait.
describe('While the pool is full', () => {
  test.concurrent.each(labelled(sampledCombinations(22, 24)))(`%s: ${fullPool}`, async (_label, on) => {
    const result = await runPool(on, 'files');
    expectLength(result, 200);
    const { attributes, parentSpanId } = starvationOf(result);
    expect(parentSpanId).toBeUndefined();
    expect(attributes[ATTR_LIBUV_THREAD_POOL_SIZE]).toBe(4);
    expect(attributes[ATTR_LIBUV_THREAD_POOL_HOLDERS]).toEqual(['openat×4']);
    expect(attributes[ATTR_LIBUV_THREAD_POOL_QUEUED]).toEqual(['FSReqCallback×6']);
    expect(attributes[ATTR_LIBUV_THREAD_POOL_REQUESTS]).toEqual(['GET /report×4', 'GET /other×1']);
    const { buckets, count } = histogram(result, METRIC_LIBUV_THREAD_POOL_QUEUE_WAIT)!;
    const above = (seconds: number): number =>
      buckets.counts.slice(buckets.boundaries.indexOf(seconds) + 1).reduce((sum, value) => sum + value, 0);
    // The pool is full for 1.5 s of about 4 s: who arrives in its first half second waits for longer than a second.
    expect(above(1)).toBeGreaterThanOrEqual(1);
    expect(above(0.25) / count).toBeLessThan(0.6);
    expect(result.metrics.some(({ name }) => name === METRIC_LIBUV_THREAD_POOL_BUSY)).toBe(true);
  });
});

describe.each(labelled(sampledCombinations(20, 26)))('%s', (_label, on) => {
  test('a pool that hashes computes', async () => {
    const found = starvationsOf(await runPool(on, 'hashes'));
    // A task waits for all that are queued before it. One that waits for twice as long as the last is reported again.
    expect(found.length).toBeGreaterThan(0);
    for (const { attributes } of found) expect(attributes[ATTR_LIBUV_THREAD_POOL_HOLDERS]).toEqual(['cpu×4']);
  });
});

describe('The pool', () => {
  let results: Record<keyof typeof besides, RunResult>;

  beforeAll(async () => {
    const entries = Object.entries(besides).map(async ([name, run]) => [name, await run()] as const);
    results = Object.fromEntries(await Promise.all(entries)) as typeof results;
  });

  test('is not reported while it is free, and no task waits', () => {
    expect(starvationsOf(results.free)).toEqual([]);
    const { buckets, count } = histogram(results.free, METRIC_LIBUV_THREAD_POOL_QUEUE_WAIT)!;
    expect(count).toBeGreaterThan(5);
    expect(buckets.counts[0]).toBe(count);
  });

  test('is not watched with threadPool: false', () => {
    expect(starvationsOf(results.off)).toEqual([]);
    expect(results.off.metrics.filter(({ name }) => name.startsWith('libuv.'))).toEqual([]);
  });

  test.each([
    ['one', 1],
    ['many', 64],
  ] as const)('of %s thread(s) is reported with its size', (name, size) => {
    expectLength(results[name], 200);
    const { attributes } = starvationOf(results[name]);
    expect(attributes[ATTR_LIBUV_THREAD_POOL_SIZE]).toBe(size);
    expect(attributes[ATTR_LIBUV_THREAD_POOL_HOLDERS]).toEqual([`openat×${size}`]);
  });

  test('is reported by the wait alone where its threads cannot be found: one thread on Node.js 20', () => {
    expectLength(results.unseen, 1000);
    const { attributes } = starvationOf(results.unseen);
    expect(attributes[ATTR_LIBUV_THREAD_POOL_SIZE]).toBeUndefined();
    expect(attributes[ATTR_LIBUV_THREAD_POOL_HOLDERS]).toBeUndefined();
  });
});
