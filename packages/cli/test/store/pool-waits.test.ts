import { describe, expect, test } from '@jest/globals';

import type { DecodedSpan, SpanGroup } from '../../src/cli/otlp/decoded.js';
import { ingestSpans } from '../../src/cli/store/ingest-spans.js';
import { addPoolWait } from '../../src/cli/store/pool-waits.js';
import { enforceLimits, keptBytes } from '../../src/cli/store/retention.js';
import { createStore, DEFAULT_LIMITS, type Store } from '../../src/cli/store/store.js';
import type { PoolWait } from '../../src/model/delays/thread-pool.js';

const NOW_MS = 1_795_000_000_000;
const wait: PoolWait = { instance: '1', startMs: 1000, durationMs: 5000, ended: false, holders: [], queued: [] };

test('A wait that lasts is one wait, as long as its longest report says, in whichever order they come', () => {
  const store = createStore();
  addPoolWait(store, wait);
  addPoolWait(store, { ...wait, startMs: 1001, durationMs: 6500, ended: true });
  addPoolWait(store, { ...wait, startMs: 1000, durationMs: 5500 });
  addPoolWait(store, { ...wait, instance: '2' });
  addPoolWait(store, { ...wait, startMs: 20_000, durationMs: 300 });
  addPoolWait(store, { ...wait, lane: 'slow_io' });
  expect(
    [...store.poolWaits.values()].map(({ instance, durationMs, ended, lane }) => [instance, durationMs, ended, lane]),
  ).toEqual([
    ['1', 6500, true, undefined],
    ['2', 5000, false, undefined],
    ['1', 300, false, undefined],
    ['1', 5000, false, 'slow_io'],
  ]);
});

test('Further waits than a thousand evict the oldest, and are counted', () => {
  const store = createStore();
  for (let n = 0; n < 1500; n++) addPoolWait(store, { ...wait, startMs: n * 1000 });
  expect(store.poolWaits.size).toBe(1000);
  expect([...store.poolWaits.values()][0]?.startMs).toBe(500_000);
  expect(store.totals.notKept.poolWaits).toBe(500);
});

describe('A span of a starved pool', () => {
  test('is kept as a wait, with what it says', () => {
    const store = storeOf(
      spanOf(1, {
        'libuv.thread_pool.size': 4,
        'libuv.thread_pool.holders': ['cpu×4'],
        'libuv.thread_pool.queued': ['GetAddrInfoReqWrap×3'],
      }),
      spanOf(2, { 'libuv.thread_pool.lane': 'slow_io' }),
    );
    const [instance] = store.instances.keys();
    const times = { instance, startMs: NOW_MS - 1200, durationMs: 1200 };
    expect([...store.poolWaits.values()]).toEqual([
      { ...times, size: 4, holders: ['cpu×4'], queued: ['GetAddrInfoReqWrap×3'] },
      { ...times, holders: [], queued: [], lane: 'slow_io' },
    ]);
    expect(store.totals.blocks).toBe(0);
  });

  test('is kept without what is no valid value', () => {
    const store = storeOf(
      spanOf(1, {
        'libuv.thread_pool.size': -4,
        'libuv.thread_pool.holders': ['cpu\u001b[2J×4', 'x'.repeat(10_000), 7],
        'libuv.thread_pool.queued': 'FSReqCallback×1',
        'libuv.thread_pool.lane': 'fast',
      }),
    );
    const [kept] = store.poolWaits.values();
    expect(kept).toMatchObject({ durationMs: 1200, holders: ['cpu\uFFFD[2J×4', expect.any(String)], queued: [] });
    expect(kept!.holders[1]).toHaveLength(512);
    expect(kept).not.toHaveProperty('size');
    expect(kept).not.toHaveProperty('lane');
  });

  test('is evicted with the retention, with its process, and by its share of the memory', () => {
    const holders = Array.from({ length: 64 }, (_, index) => `${index}`.padEnd(500, 'x'));
    const store = createStore({ ...DEFAULT_LIMITS, maxBytes: 4_000_000 });
    const spans = Array.from({ length: 100 }, (_, n) => ({
      ...spanOf(n + 1, { 'libuv.thread_pool.holders': holders }),
      startMs: NOW_MS - 200_000 + n * 1000,
    }));
    ingestSpans(store, [groupOf(...spans)], NOW_MS);
    enforceLimits(store, NOW_MS);
    expect(store.poolWaits.bytes).toBeLessThanOrEqual(4_000_000 / 64);
    expect(store.poolWaits.size).toBeGreaterThan(0);
    expect(store.totals.notKept.poolWaits).toBe(100 - store.poolWaits.size);
    enforceLimits(store, NOW_MS + DEFAULT_LIMITS.retentionMs + 1000);
    expect(store.poolWaits.size).toBe(0);
    expect(keptBytes(store)).toBe(0);

    const crowded = createStore({ ...DEFAULT_LIMITS, maxInstances: 1 });
    ingestSpans(crowded, [groupOf(spanOf(1))], NOW_MS - 1);
    ingestSpans(crowded, [{ ...groupOf(), resource: { 'service.name': 'other' } }], NOW_MS);
    enforceLimits(crowded, NOW_MS);
    expect(crowded.poolWaits.size).toBe(0);
  });
});

function storeOf(...spans: DecodedSpan[]): Store {
  const store = createStore();
  ingestSpans(store, [groupOf(...spans)], NOW_MS);
  return store;
}

function groupOf(...spans: DecodedSpan[]): SpanGroup {
  return { resource: { 'service.name': 'api' }, scope: '', spans };
}

function spanOf(id: number, attributes: DecodedSpan['attributes'] = {}): DecodedSpan {
  return {
    traceId: id.toString(16).padStart(32, '0'),
    spanId: id.toString(16).padStart(16, '0'),
    parentSpanId: '',
    name: 'thread-pool-starved',
    kind: 1,
    startMs: NOW_MS - 1200,
    endMs: NOW_MS,
    attributes,
    statusCode: 0,
    links: [],
  };
}
