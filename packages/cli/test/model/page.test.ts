import { describe, expect, test } from '@jest/globals';

import { filterBlocks } from '../../src/model/filter.js';
import { lagSeries } from '../../src/page/model/lag-series.js';
import { applyUpdate, type PageState, rowOf } from '../../src/model/page.js';
import type { TraceSpan } from '../../src/model/types.js';
import { waterfallRows } from '../../src/page/model/waterfall-rows.js';
import { makeBlock, makeLag } from '../support/records.js';

const STATE: PageState = {
  title: 'Live',
  version: '0',
  startedMs: 0,
  droppedBlocks: 0,
  retentionMs: 10_000,
  maxBlocks: 3,
  instances: [],
  blocks: [],
  lag: [],
  threads: [],
};
const NOTHING = { blocks: [], lag: [], instances: [], threads: [], droppedBlocks: 0 };

describe('applyUpdate', () => {
  test('replaces a block that has changed and keeps its place', () => {
    const first = applyUpdate(
      STATE,
      { ...NOTHING, blocks: [rowOf(makeBlock({ id: 'a' })), rowOf(makeBlock({ id: 'b' }))] },
      1_000,
    );
    const second = applyUpdate(first, { ...NOTHING, blocks: [rowOf(makeBlock({ id: 'a', request: 'GET /' }))] }, 1_000);
    expect(second.blocks.map(({ id, request }) => [id, request])).toEqual([
      ['a', 'GET /'],
      ['b', undefined],
    ]);
  });

  test('lets go what is too old or too much, as the server does', () => {
    const blocks = ['a', 'b', 'c', 'd'].map((id) => rowOf(makeBlock({ id, startMs: id === 'a' ? 0 : 5_000 })));
    const state = applyUpdate(
      STATE,
      { ...NOTHING, blocks, lag: [makeLag({ endMs: 100 }), makeLag({ endMs: 9_000 })] },
      12_000,
    );
    expect(state.blocks.map(({ id }) => id)).toEqual(['b', 'c', 'd']);
    expect(state.lag.map(({ endMs }) => endMs)).toEqual([9_000]);
  });
});

describe('filterBlocks', () => {
  const instances = new Map([['i1', { id: 'i1', service: 'api', label: 'pid 1' }]]);
  const blocks = [
    makeBlock({ id: 'a', startMs: 0, durationMs: 100, request: 'GET /traces' }),
    makeBlock({ id: 'b', startMs: 1_000, durationMs: 100, cause: 'gc' }),
    makeBlock({ id: 'c', startMs: 2_000, durationMs: 100, instance: 'gone' }),
  ];
  test.each([
    [{}, 'abc'],
    [{ text: ' TRACES ' }, 'a'],
    [{ text: 'slow.js' }, 'abc'],
    [{ cause: 'gc' as const }, 'b'],
    [{ service: 'api' }, 'ab'],
    [{ instance: 'gone' }, 'c'],
    [{ fromMs: 50, toMs: 1_000 }, 'ab'],
    [{ fromMs: 101, toMs: 999 }, ''],
  ])('%j leaves the blocks %s', (filter, ids) => {
    expect(
      filterBlocks(blocks, filter, instances)
        .map(({ id }) => id)
        .join(''),
    ).toBe(ids);
  });
});

describe('lagSeries', () => {
  test('merges what falls into one bin', () => {
    const series = lagSeries(
      [makeLag({ endMs: 1_100 }), makeLag({ endMs: 1_900, counts: [0, 0, 0, 100, 0] })],
      0,
      60_000,
    );
    expect(series.timesMs).toEqual([500]);
    expect(series.p99Ms[0]).toBeGreaterThan(100);
  });

  test('leaves a gap where nothing was measured for long', () => {
    const series = lagSeries([makeLag({ endMs: 1_000 }), makeLag({ startMs: 50_000, endMs: 51_000 })], 0, 60_000);
    expect(series.p50Ms.map((value) => value === null)).toEqual([false, true, false]);
  });

  test('needs no more than 400 bins and a bit for gaps', () => {
    const points = Array.from({ length: 5_000 }, (_, index) =>
      makeLag({ startMs: index * 1_000, endMs: (index + 1) * 1_000 }),
    );
    expect(lagSeries(points, 0, 5_000_000).timesMs.length).toBeLessThanOrEqual(401);
  });
});

describe('waterfallRows', () => {
  const span = (spanId: string, parentSpanId: string | undefined, startMs: number): TraceSpan => ({
    traceId: 't',
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name: spanId,
    instance: 'i1',
    scope: '',
    kind: 1,
    startMs,
    endMs: startMs + 1,
    error: false,
    attributes: {},
    links: [],
  });

  test('puts children under their parents by start', () => {
    const rows = waterfallRows([span('c', 'a', 3), span('b', 'a', 2), span('a', undefined, 1), span('d', 'b', 4)]);
    expect(rows.map(({ span: { name }, depth }) => `${depth}${name}`)).toEqual(['0a', '1b', '2d', '1c']);
  });

  test('shows a span whose parent has not come, and survives a loop of parents', () => {
    const rows = waterfallRows([span('lost', 'nobody', 1), span('x', 'y', 1), span('y', 'x', 1)]);
    expect(rows.map(({ span: { name } }) => name)).toEqual(['lost']);
  });
});
