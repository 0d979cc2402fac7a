import { describe, expect, test } from '@jest/globals';

import { decodeMetricsJson, decodeTracesJson } from '../../src/cli/otlp/json.js';
import { ingestMetrics } from '../../src/cli/store/ingest-metrics.js';
import { ingestRecords } from '../../src/cli/store/ingest-records.js';
import { ingestSpans, victimsOf } from '../../src/cli/store/ingest-spans.js';
import { awaitsRequest } from '../../src/cli/store/request-name.js';
import { enforceLimits, keptBytes } from '../../src/cli/store/retention.js';
import { type Change, createStore, DEFAULT_LIMITS, type Store } from '../../src/cli/store/store.js';
import type { Block, LagPoint } from '../../src/model/types.js';
import { makeBlock, makeLag } from '../support/records.js';
import { gaugeBody, histogramBody, metricsBody, type SpanInput, tracesBody } from '../support/otlp.js';

const RESOURCE = { 'service.name': 'api', 'service.instance.id': 'api-0', 'process.pid': 7 };
const TRACE = 'a'.repeat(32);

const span = (spanId: string, overrides: Partial<SpanInput> = {}): SpanInput => ({
  traceId: TRACE,
  spanId: spanId.padStart(16, '0'),
  name: 'work',
  startMs: 1_000,
  endMs: 2_000,
  ...overrides,
});
const blockSpan = (spanId: string, overrides: Partial<SpanInput> = {}): SpanInput =>
  span(spanId, { name: 'event-loop-blocked', parentSpanId: '1'.padStart(16, '0'), ...overrides });

function send(store: Store, ...spans: SpanInput[]): Change {
  return ingestSpans(store, decodeTracesJson(JSON.stringify(tracesBody(RESOURCE, spans))), 10_000);
}

const onlyBlock = (store: Store): unknown => {
  expect(store.blocks.size).toBe(1);
  return [...store.blocks.values()][0];
};

describe('a block', () => {
  test('gets the name of its request when that ends later, and is reported as changed', () => {
    const store = createStore();
    send(store, blockSpan('b'));
    const change = send(store, span('1', { name: 'GET /traces/:id', kind: 2 }));
    expect(change.blocks).toMatchObject([{ request: 'GET /traces/:id' }]);
    expect(onlyBlock(store)).toMatchObject({ request: 'GET /traces/:id' });
  });

  test('is named by the server span above inner spans, with the route if the name has none', () => {
    const store = createStore();
    send(
      store,
      blockSpan('b'),
      span('1', { name: 'middleware', parentSpanId: '2'.padStart(16, '0') }),
      span('2', { name: 'GET', kind: 2, attributes: { 'http.route': '/a/:b' }, parentSpanId: 'f'.repeat(16) }),
    );
    expect(onlyBlock(store)).toMatchObject({ request: 'GET /a/:b' });
  });

  test('that lasts is named by its hang report, because the span of its request has not ended', () => {
    const store = createStore();
    const attributes = { 'event_loop.blocked.request': 'GET /runs/:id' };
    send(store, blockSpan('b', { name: 'event-loop-hang', attributes }));
    expect(onlyBlock(store)).toMatchObject({ ended: false, request: 'GET /runs/:id' });
  });

  test('that lasts and does not answer has the age of its last answer, and what it waits for', () => {
    const store = createStore();
    const attributes = {
      'event_loop.blocked.answer_age': 3.5,
      'event_loop.blocked.child_processes': ['pandoc (4711)'],
    };
    send(store, blockSpan('b', { name: 'event-loop-hang', attributes }));
    expect(onlyBlock(store)).toMatchObject({ answerAgeMs: 3500, childProcesses: ['pandoc (4711)'] });
  });

  test('is not named by a span of another process', () => {
    const store = createStore();
    send(store, blockSpan('b'), span('1', { name: 'job', parentSpanId: '2'.padStart(16, '0') }));
    const other = tracesBody({ 'service.name': 'caller' }, [span('2', { name: 'GET /caller' })]);
    ingestSpans(store, decodeTracesJson(JSON.stringify(other)), 10_000);
    expect(onlyBlock(store)).toMatchObject({ request: 'job' });
  });

  test('waits for the name of its request until the chain of parents is complete', () => {
    const store = createStore();
    const [block] = send(store, blockSpan('b')).blocks;
    expect(awaitsRequest(store, block!)).toBe(true);
    send(store, span('1'));
    expect(awaitsRequest(store, block!)).toBe(false);
    expect(awaitsRequest(store, makeBlock())).toBe(false);
  });

  test('replaces its hang reports and keeps their id', () => {
    const store = createStore();
    send(store, blockSpan('1a', { name: 'event-loop-hang', startMs: 1_000, endMs: 6_000 }));
    send(store, blockSpan('1b', { name: 'event-loop-hang', startMs: 1_001, endMs: 11_000 }));
    expect(onlyBlock(store)).toMatchObject({ ended: false, durationMs: 9_999 });
    send(store, blockSpan('1c', { startMs: 1_000, endMs: 13_000 }));
    send(store, blockSpan('1d', { name: 'event-loop-hang', startMs: 1_000, endMs: 11_000 }));
    expect(onlyBlock(store)).toMatchObject({ ended: true, durationMs: 12_000, id: '1a'.padStart(16, '0') });
  });

  test('replaces all of its hang reports, whose starts may differ', () => {
    const store = createStore();
    send(store, blockSpan('1a', { name: 'event-loop-hang', startMs: 1_000, endMs: 9_300 }));
    send(store, blockSpan('1b', { name: 'event-loop-hang', startMs: 9_600, endMs: 10_900 }));
    const change = send(store, blockSpan('1c', { startMs: 1_200, endMs: 11_000 }));
    expect(onlyBlock(store)).toMatchObject({ ended: true, durationMs: 9_800, id: '1b'.padStart(16, '0') });
    expect([change.removedBlocks, store.totals.blocks]).toEqual([['1a'.padStart(16, '0')], 1]);
  });

  test('is as long as its span without the suspension in it, and replaces a hang report of the time after that', () => {
    const store = createStore();
    send(store, blockSpan('1a', { name: 'event-loop-hang', startMs: 6_000, endMs: 7_000 }));
    const attributes = { 'event_loop.blocked.excluded_time': 5 };
    send(store, blockSpan('1b', { startMs: 1_000, endMs: 8_500, attributes }));
    expect(onlyBlock(store)).toMatchObject({ ended: true, durationMs: 2_500, excludedMs: 5_000 });
  });

  test('is as long as its span where more is excluded than it has', () => {
    const store = createStore();
    send(store, blockSpan('b', { attributes: { 'event_loop.blocked.excluded_time': 5 } }));
    expect(onlyBlock(store)).toMatchObject({ durationMs: 1_000 });
    expect(onlyBlock(store)).not.toHaveProperty('excludedMs');
  });

  test('replaces a hang report that arrives after the reports of many blocks', () => {
    const store = createStore();
    send(store, blockSpan('a', { startMs: 1_000, endMs: 7_000 }));
    for (let i = 0; i < 100; i += 1) {
      send(store, blockSpan(`c${i}`, { startMs: 8_000 + i * 200, endMs: 8_100 + i * 200 }));
    }
    send(store, blockSpan('b', { name: 'event-loop-hang', startMs: 1_000, endMs: 6_000 }));
    expect([store.blocks.size, [...store.blocks.values()].every(({ ended }) => ended)]).toEqual([101, true]);
  });

  test('replaces its hang report also after the report of the next block', () => {
    const store = createStore();
    send(store, blockSpan('1a', { name: 'event-loop-hang', startMs: 1_000, endMs: 6_000 }));
    send(store, blockSpan('2a', { name: 'event-loop-hang', startMs: 8_000, endMs: 13_000 }));
    send(store, blockSpan('1b', { startMs: 1_000, endMs: 7_000 }), blockSpan('2b', { startMs: 8_000, endMs: 15_000 }));
    const blocks = [...store.blocks.values()].map(({ ended, durationMs }) => [ended, durationMs]);
    expect(blocks).toEqual([
      [true, 6_000],
      [true, 7_000],
    ]);
  });

  test('of another thread or another time is a separate block', () => {
    const store = createStore();
    send(store, blockSpan('1a', { name: 'event-loop-hang', startMs: 1_000, endMs: 6_000 }));
    send(store, blockSpan('1b', { startMs: 1_000, endMs: 6_000, attributes: { 'thread.id': 3 } }));
    send(store, blockSpan('1c', { startMs: 20_000, endMs: 26_000 }));
    expect(store.blocks.size).toBe(3);
  });

  test('counts its victims, whether they arrive before or after it', () => {
    const store = createStore();
    const victim = (id: string): SpanInput =>
      span(id, {
        traceId: id.repeat(32).slice(0, 32),
        name: 'GET /health',
        attributes: { 'event_loop.blocked.wait_time': 0.5 },
        links: [{ traceId: TRACE, spanId: 'b'.padStart(16, '0') }],
      });
    send(store, victim('c'));
    send(store, blockSpan('b'));
    expect(onlyBlock(store)).toMatchObject({ victimCount: 1 });
    const change = send(store, victim('d'), victim('d'));
    expect(change.blocks).toMatchObject([{ victimCount: 2 }]);
    expect([...store.victims.get('b'.padStart(16, '0'))!.values()]).toMatchObject([
      { waitMs: 500 },
      { name: 'GET /health' },
    ]);
  });

  test('knows the routes and the longest wait of its victims, each bounded by what it has in common with the block', () => {
    const store = createStore();
    const victim = (id: string, waitSeconds: number, overrides: Partial<SpanInput> = {}): SpanInput =>
      span(id, {
        traceId: id.repeat(32).slice(0, 32),
        name: 'GET',
        kind: 2,
        startMs: 500,
        endMs: 60_000,
        attributes: { 'event_loop.blocked.wait_time': waitSeconds, 'http.route': '/health' },
        links: [{ traceId: TRACE, spanId: 'b'.padStart(16, '0') }],
        ...overrides,
      });
    send(store, blockSpan('b', { startMs: 1_000, endMs: 2_000 }));
    // Its wait is the sum over all blocks that delayed it.
    send(store, victim('c', 26.2), victim('d', 0.3), victim('e', 0.2, { name: 'GET /other' }));
    const block = onlyBlock(store) as Block;
    expect(block).toMatchObject({
      victimCount: 3,
      victimSummary: { nameCount: 2, nameKind: 'route', longestMs: 1_000 },
    });
    expect(victimsOf(store, block).map(({ name, waitMs }) => [name, waitMs])).toEqual([
      ['GET /health', 1_000],
      ['GET /health', 300],
      ['GET /other', 200],
    ]);
  });

  test('claims nothing about its victims while some have not arrived', () => {
    const store = createStore();
    const links = [{ traceId: TRACE, spanId: 'b'.padStart(16, '0') }];
    send(store, blockSpan('b', { attributes: { 'event_loop.blocked.victims': 5 } }));
    send(store, span('c', { kind: 2, attributes: { 'event_loop.blocked.wait_time': 0.2 }, links }));
    expect(onlyBlock(store)).toMatchObject({ victimCount: 5 });
    expect(onlyBlock(store)).not.toHaveProperty('victimSummary');
  });

  test('has all attributes of its span', () => {
    const store = createStore();
    const attributes = {
      'code.function.name': 'createSpans',
      'code.file.path': '/app/a.js',
      'code.line.number': 4,
      'event_loop.blocked.cause': 'gc',
      'event_loop.blocked.gc_time': 0.75,
      'event_loop.blocked.lines': '4 700\n6 50',
      'event_loop.blocked.pending': ['Socket×2'],
      'thread.name': 'pool',
    };
    send(store, blockSpan('b', { attributes }));
    expect(onlyBlock(store)).toMatchObject({
      culprit: { functionName: 'createSpans', filePath: '/app/a.js', lineNumber: 4, columnNumber: 0 },
      cause: 'gc',
      gcMs: 750,
      lines: '4 700\n6 50',
      pending: ['Socket×2'],
      threadName: 'pool',
      stackQuality: 'none',
    });
  });
});

describe('lag', () => {
  const point = (counts: number[], endMs: number, maxSeconds?: number) => ({
    startMs: 0,
    endMs,
    boundsSeconds: [0.01, 1],
    counts,
    ...(maxSeconds !== undefined && { maxSeconds }),
  });
  const sendLag = (store: Store, points: Parameters<typeof histogramBody>[2], temporality: 'delta' | 'cumulative') =>
    ingestMetrics(
      store,
      decodeMetricsJson(JSON.stringify(histogramBody(RESOURCE, 'event_loop.lag', points, temporality))),
      0,
    ).lag;

  test('of cumulative points is the difference of successive points', () => {
    const store = createStore();
    const lag = sendLag(
      store,
      [point([5, 0, 0], 1_000, 0.5), point([8, 1, 0], 2_000, 0.7), point([9, 1, 0], 3_000, 0.7)],
      'cumulative',
    );
    expect(lag.map(({ startMs, endMs, counts, maxMs }) => [startMs, endMs, counts, maxMs])).toEqual([
      [0, 1_000, [5, 0, 0], 500],
      [1_000, 2_000, [3, 1, 0], 700],
      [2_000, 3_000, [1, 0, 0], undefined],
    ]);
  });

  test('of cumulative points restarts with the process', () => {
    const store = createStore();
    sendLag(store, [point([5, 0, 0], 1_000)], 'cumulative');
    const lag = sendLag(store, [{ ...point([2, 0, 0], 9_000), startMs: 8_000 }], 'cumulative');
    expect(lag).toMatchObject([{ counts: [2, 0, 0] }]);
  });

  test.each([
    ['further buckets', { scale: 0, offset: -11, counts: [1, 300, 0, 0, 0, 0, 0, 0, 0, 0, 2] }],
    ['wider buckets', { scale: -1, offset: -5, counts: [301, 0, 0, 0, 2] }],
  ])('of an exponential histogram that gets %s is the difference, too', (_what, later) => {
    const store = createStore();
    const points = [{ scale: 0, offset: -10, counts: [100, 0, 0, 0, 0, 0, 0, 0, 0, 1] }, later].map(
      ({ scale, offset, counts }, index) => ({
        startTimeUnixNano: '0',
        timeUnixNano: String((index + 1) * 1e9),
        scale,
        positive: { offset, bucketCounts: counts },
      }),
    );
    const exponentialHistogram = { aggregationTemporality: 2, dataPoints: points };
    const body = metricsBody(RESOURCE, [{ name: 'event_loop.lag', unit: 's', exponentialHistogram }]);
    const { lag } = ingestMetrics(store, decodeMetricsJson(JSON.stringify(body)), 0);
    const slow = ({ boundsMs, counts }: LagPoint): number =>
      counts.reduce((sum, count, index) => sum + (boundsMs[index]! > 255 ? count : 0), 0);
    expect(lag.map(({ counts }) => counts.reduce((a, b) => a + b))).toEqual([101, 202]);
    expect(lag.map(slow)).toEqual([1, 1]);
  });

  test('of delta points is stored unchanged, and empty points are ignored', () => {
    const lag = sendLag(createStore(), [point([1, 2, 3], 1_000, 5), point([0, 0, 0], 2_000)], 'delta');
    expect(lag).toMatchObject([{ counts: [1, 2, 3], boundsMs: [10, 1_000], maxMs: 5_000 }]);
  });

  test('is stored with the gauges of threads', () => {
    const store = createStore();
    const body = gaugeBody(RESOURCE, 'event_loop.stalled', [{ value: 3.5, attributes: { 'thread.name': 'pool' } }]);
    ingestMetrics(store, decodeMetricsJson(JSON.stringify(body)), 0);
    expect([...store.threads.values()]).toMatchObject([{ threadName: 'pool', stalledMs: 3_500 }]);
  });
});

describe('a block that two threads of a process report', () => {
  const own = makeBlock({ id: '7-2-1', startMs: 1_000, durationMs: 200, threadId: 2, request: 'GET /report' });
  const relayed = makeBlock({ id: '7-0-4', startMs: 1_000.4, durationMs: 199.8, threadId: 2 });

  test.each([
    ['the thread itself', own, relayed],
    ['the main thread', relayed, own],
  ])('is stored once, with its request, when %s is first', (_label, first, second) => {
    const store = createStore();
    const changes = [first, second].map((block) => ingestRecords(store, [{ type: 'block', block }]).blocks.length);
    expect([changes, store.totals.blocks]).toEqual([[1, 0], 1]);
    expect([...store.blocks.values()]).toMatchObject([{ id: first.id, request: 'GET /report' }]);
  });

  test.each([
    ['of another thread', { ...relayed, threadId: 3 }],
    ['of another process', { ...relayed, instance: 'i2' }],
    ['that begins when the other has ended', { ...relayed, startMs: 1_200 }],
  ])('is not one %s', (_label, other) => {
    const store = createStore();
    ingestRecords(
      store,
      [own, other].map((block) => ({ type: 'block', block })),
    );
    expect(store.totals.blocks).toBe(2);
  });
});

describe('memory', () => {
  test('is bounded: traces without a block are evicted first', () => {
    const store = createStore({ ...DEFAULT_LIMITS, maxBytes: 40_000 });
    send(store, blockSpan('b'), span('1'));
    for (let index = 0; index < 200; index += 1) {
      send(
        store,
        span('5', { traceId: (index + 1).toString(16).padStart(32, '0'), attributes: { text: 'x'.repeat(200) } }),
      );
      enforceLimits(store, 10_000);
    }
    expect(keptBytes(store)).toBeLessThanOrEqual(40_000);
    expect(store.plainTraces.size).toBeLessThan(30);
    expect([...store.blockedTraces.keys()]).toEqual([TRACE]);
    expect(store.totals.evictedTraces).toBe(200 - store.plainTraces.size);
  });

  test('holds the newest blocks up to the limit', () => {
    const store = createStore({ ...DEFAULT_LIMITS, maxBlocks: 10 });
    for (let index = 0; index < 50; index += 1) {
      ingestRecords(store, [{ type: 'block', block: makeBlock({ id: `b${index}`, startMs: index * 1_000 }) }]);
    }
    enforceLimits(store, 50_000);
    expect([...store.blocks.keys()]).toEqual(Array.from({ length: 10 }, (_, index) => `b${index + 40}`));
    expect(store.totals).toMatchObject({ blocks: 50, evictedBlocks: 40 });
  });

  test('holds nothing that is older than the retention', () => {
    const store = createStore({ ...DEFAULT_LIMITS, retentionMs: 60_000 });
    send(store, blockSpan('b'), span('1'));
    ingestRecords(store, [{ type: 'lag', point: makeLag() }]);
    enforceLimits(store, 200_000);
    const sizes = [store.blocks, store.plainTraces, store.blockedTraces, store.lag, store.instances].map(
      ({ size }) => size,
    );
    expect(sizes).toEqual([0, 0, 0, 0, 0]);
    expect(keptBytes(store)).toBe(0);
  });

  test('is counted once for a span that is sent twice', () => {
    const store = createStore();
    send(store, span('1'));
    const once = keptBytes(store);
    send(store, span('1'));
    expect(keptBytes(store)).toBe(once);
  });

  test('does not grow with the number of past services', () => {
    const store = createStore({ ...DEFAULT_LIMITS, maxInstances: 5 });
    for (let index = 0; index < 50; index += 1) {
      const body = tracesBody({ 'service.name': `s${index}` }, [span('1')]);
      ingestSpans(store, decodeTracesJson(JSON.stringify(body)), index);
      enforceLimits(store, index);
    }
    expect(store.instances.size).toBe(5);
  });
});
