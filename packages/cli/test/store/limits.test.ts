import process from 'node:process';

import { describe, expect, test } from '@jest/globals';

import type { ChannelRecord } from '../../src/channel/contract.js';
import { RUN_LIMITS } from '../../src/cli/commands/session.js';
import type { DecodedMetric, DecodedSpan, SpanGroup } from '../../src/cli/otlp/decoded.js';
import { addBusyPeriod } from '../../src/cli/store/busy-periods.js';
import { ingestMetrics } from '../../src/cli/store/ingest-metrics.js';
import { ingestRecords } from '../../src/cli/store/ingest-records.js';
import { ingestSpans } from '../../src/cli/store/ingest-spans.js';
import { addLag } from '../../src/cli/store/lag.js';
import { enforceLimits, keptBytes } from '../../src/cli/store/retention.js';
import { sizeOfValue } from '../../src/cli/store/sized-map.js';
import { createStore, DEFAULT_LIMITS, emptyChange, type Store } from '../../src/cli/store/store.js';
import { notKeptText } from '../../src/model/live/not-kept.js';
import { makeBlock, makeBusyPeriod, makeLag } from '../support/records.js';

const NOW_MS = 1_795_000_000_000;
const hex = (id: number, length: number): string => id.toString(16).padStart(length, '0');

function spanOf(id: number, overrides: Partial<DecodedSpan> = {}): DecodedSpan {
  return {
    traceId: hex(id, 32),
    spanId: hex(id, 16),
    parentSpanId: '',
    name: 'work',
    kind: 1,
    startMs: NOW_MS - 300,
    endMs: NOW_MS,
    attributes: {},
    statusCode: 0,
    links: [],
    ...overrides,
  };
}

const groupOf = (service: string, ...spans: DecodedSpan[]): SpanGroup => ({
  resource: { 'service.name': service },
  scope: '',
  spans,
});

function lagOf(service: string, threads: number): DecodedMetric {
  const point = (thread: number) => ({
    attributes: { 'thread.name': `t${thread}` },
    startMs: NOW_MS - 1_000,
    endMs: NOW_MS,
    bounds: [0.01, 1],
    counts: [5, 1, 0],
  });
  return {
    resource: { 'service.name': service },
    scope: '',
    name: 'event_loop.lag',
    unit: 's',
    temporality: 'cumulative',
    points: Array.from({ length: threads }, (_, thread) => point(thread)),
  };
}

/** CPU time, µs: on a busy machine the time that passes says little. The least of some runs. */
function leastCpu(work: () => void): number {
  let least = Infinity;
  for (let run = 0; run < 3; run += 1) {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, user + system);
  }
  return least;
}

const WORK: readonly [string, (store: Store, count: number) => void][] = [
  [
    'services',
    (store, count) =>
      ingestSpans(
        store,
        Array.from({ length: count }, (_, id) => groupOf(`s${id}`, spanOf(id + 1))),
        NOW_MS,
      ),
  ],
  [
    'services of metrics',
    (store, count) =>
      ingestMetrics(
        store,
        Array.from({ length: count }, (_, id) => lagOf(`s${id}`, 1)),
        NOW_MS,
      ),
  ],
  ['threads', (store, count) => ingestMetrics(store, [lagOf('s', count)], NOW_MS)],
  [
    'victims of a block',
    (store, count) => {
      const victim = {
        attributes: { 'event_loop.blocked.wait_time': 1 },
        links: [{ traceId: hex(1, 32), spanId: hex(1, 16) }],
      };
      ingestSpans(store, [groupOf('s', ...Array.from({ length: count }, (_, id) => spanOf(id + 1, victim)))], NOW_MS);
    },
  ],
  [
    'blocks of a trace',
    (store, count) =>
      ingestSpans(
        store,
        [
          groupOf(
            's',
            ...Array.from({ length: count }, (_, id) =>
              spanOf(id + 1, { traceId: hex(7, 32), name: 'event-loop-blocked' }),
            ),
          ),
        ],
        NOW_MS,
      ),
  ],
];

describe('the work for a request is proportional to its size, in', () => {
  test.each(WORK)('%s', (_what, ingest) => {
    const work = (count: number) => (): void => {
      const store = createStore();
      ingest(store, count);
      enforceLimits(store, NOW_MS);
    };
    work(1_000)();
    // Eight times as many: with the square of their number it would be 64 times the time.
    expect(leastCpu(work(8_000))).toBeLessThan(24 * leastCpu(work(1_000)));
  });
});

describe('all that is kept has one budget:', () => {
  const limits = { ...DEFAULT_LIMITS, maxBytes: 8 * 1024 * 1024 };

  test('fifteen hundred blocks with stacks of a megabyte', () => {
    const store = createStore(limits);
    const stackTrace = '    at slow (/app/slow.js:1:1)\n'.repeat(33_000);
    const attributes = {
      'code.stacktrace': stackTrace,
      'event_loop.blocked.profile': `${'a;'.repeat(500)}b 1\n`.repeat(1_000),
    };
    for (let id = 1; id <= 1_500; id += 1) {
      ingestSpans(store, [groupOf('s', spanOf(id, { name: 'event-loop-blocked', attributes }))], NOW_MS);
      enforceLimits(store, NOW_MS);
    }
    expect(keptBytes(store)).toBeLessThanOrEqual(limits.maxBytes);
    expect(store.blocks.size).toBeGreaterThan(50);
    expect([...store.blocks.keys()].at(-1)).toBe(hex(1_500, 16));
    expect(store.totals.notKept.blocks).toBe(1_500 - store.blocks.size);
  });

  test('hundreds of thousands of threads, services, victims and links', () => {
    const store = createStore(limits);
    ingestMetrics(store, [lagOf('s', 20_000)], NOW_MS);
    const links = Array.from({ length: 128 }, (_, id) => ({ traceId: hex(1, 32), spanId: hex(id + 1, 16) }));
    const victim = { attributes: { 'event_loop.blocked.wait_time': 1 }, links };
    for (let id = 1; id <= 1_500; id += 1) {
      ingestSpans(store, [groupOf(`s${id}`, spanOf(id, victim))], NOW_MS);
      enforceLimits(store, NOW_MS);
    }
    expect(keptBytes(store)).toBeLessThanOrEqual(limits.maxBytes);
    expect(store.lag.size).toBeLessThanOrEqual(limits.maxThreads);
    expect(store.instances.size).toBe(limits.maxInstances);
    const { lagPoints, victims, instances } = store.totals.notKept;
    expect(Math.min(lagPoints, victims, instances)).toBeGreaterThan(1_000);
  });

  test('threads that report for weeks', () => {
    const retentionMs = 60_000;
    const store = createStore({ ...limits, retentionMs });
    for (let second = 1; second <= 5_000; second += 1) {
      const times = { startMs: NOW_MS + (second - 1) * 1_000, endMs: NOW_MS + second * 1_000 };
      addLag(store, makeLag(times), emptyChange());
      addBusyPeriod(store, makeBusyPeriod(times));
      enforceLimits(store, times.endMs);
    }
    const estimated = [store.lag, store.busyPeriods].map(({ bytes }) => bytes);
    const held = [store.lag, store.busyPeriods].map((kept) => sizeOfValue([...kept.values()].flat()));
    expect(estimated[0]! / held[0]!).toBeCloseTo(1, 0);
    expect(estimated[1]! / held[1]!).toBeCloseTo(1, 0);
  });

  test('more processes than are kept, each of which is counted once', () => {
    const store = createStore({ ...limits, maxInstances: 5 });
    for (let round = 0; round < 4; round += 1) {
      for (let id = 1; id <= 7; id += 1) {
        ingestSpans(store, [groupOf(`s${id}`, spanOf(id))], NOW_MS);
        enforceLimits(store, NOW_MS);
      }
    }
    expect([store.instances.size, store.totals.notKept.instances]).toEqual([5, 7]);
  });

  test('a trace that never ends', () => {
    const store = createStore();
    for (let round = 0; round < 12; round += 1) {
      const spans = Array.from({ length: 1_000 }, (_, id) => spanOf(round * 1_000 + id + 1, { traceId: hex(7, 32) }));
      ingestSpans(store, [groupOf('s', ...spans)], NOW_MS);
    }
    expect(store.plainTraces.get(hex(7, 32))?.spans.size).toBe(10_000);
    expect(store.totals.notKept.spans).toBe(2_000);
  });
});

describe('time', () => {
  const send = (store: Store, startMs: number, endMs: number): void => {
    ingestSpans(store, [groupOf('s', spanOf(1, { name: 'event-loop-blocked', startMs, endMs }))], NOW_MS);
  };
  const DAY_MS = 86_400_000;

  test.each([
    ['a start that is no number', NaN, NOW_MS],
    ['an infinite end', NOW_MS, Infinity],
    ['a negative start', -1, NOW_MS],
    ['a start in two days', NOW_MS + 2 * DAY_MS, NOW_MS + 2 * DAY_MS],
    ['an end in two days', NOW_MS, NOW_MS + 2 * DAY_MS],
    ['a length of two years', NOW_MS - 731 * DAY_MS, NOW_MS],
  ])('of a span is refused and counted: %s', (_what, startMs, endMs) => {
    const store = createStore();
    send(store, startMs, endMs);
    expect([store.blocks.size, store.plainTraces.size, store.totals.notKept.invalid]).toEqual([0, 0, 1]);
  });

  test('before the retention is not kept, and is no news', () => {
    const store = createStore();
    send(store, NOW_MS - DAY_MS, NOW_MS - DAY_MS + 300);
    expect([store.blocks.size, store.totals.notKept.invalid]).toEqual([0, 0]);
  });

  test('ahead of the clock does not keep a block, nor those behind it, from being evicted', () => {
    const store = createStore();
    send(store, NOW_MS + DAY_MS / 2, NOW_MS + DAY_MS / 2 + 300);
    ingestSpans(store, [groupOf('s', spanOf(2, { name: 'event-loop-blocked' }))], NOW_MS);
    expect(store.blocks.size).toBe(2);
    enforceLimits(store, NOW_MS + DEFAULT_LIMITS.retentionMs + 1_000);
    expect(store.blocks.size).toBe(0);
  });
});

test('ids that are none of OpenTelemetry are refused and counted', () => {
  const store = createStore();
  const ids = ['', 'x'.repeat(32), '0'.repeat(32), 'a'.repeat(31), 'a'.repeat(100_000)];
  ingestSpans(store, [groupOf('s', ...ids.map((traceId) => spanOf(1, { traceId })))], NOW_MS);
  expect([store.plainTraces.size, store.totals.notKept.invalid]).toEqual([0, ids.length]);
});

test('what a watched program writes is accepted by the same rules', () => {
  const store = createStore();
  const records: unknown[] = [
    { type: 'block', block: null },
    { type: 'block', block: makeBlock({ startMs: NaN }) },
    {
      type: 'block',
      block: makeBlock({ culprit: { functionName: 'f', filePath: '/a.js', lineNumber: 2 ** 53, columnNumber: 1 } }),
    },
    { type: 'lag', point: { ...makeLag(), counts: 'many' } },
    { type: 'lag' },
    { type: 'process', process: { id: 7 } },
    { type: 'startUp', startUp: { durationMs: Infinity } },
    { type: 'unwatched' },
  ];
  const { blocks } = ingestRecords(store, records as ChannelRecord[]);
  expect(blocks).toMatchObject([{ culprit: { lineNumber: 0 } }]);
  expect([store.lag.size, store.instances.size, store.startUps, store.unwatched]).toEqual([0, 0, [], []]);
});

test('the reader is told what is not kept, and nothing where all of it is', () => {
  const { notKept } = createStore().totals;
  expect(notKeptText(notKept)).toBeUndefined();
  expect(notKeptText({ ...notKept, blocks: 120, instances: 3, invalid: 1 })).toBe(
    'Not kept, because limits were reached: 120 blocks, 3 processes. Refused, because their ids, times or numbers are invalid: 1 entry.',
  );
});

describe('of the processes of a run', () => {
  const startOf = (pid: number, command = 'node'): ChannelRecord => ({
    type: 'process',
    process: { id: String(pid), service: 'api', label: `pid ${pid}`, pid, command },
  });

  test('the first ones are kept', () => {
    const store = createStore(RUN_LIMITS);
    for (let pid = 1; pid <= 10_100; pid += 1) {
      ingestRecords(store, [startOf(pid)]);
      if (pid % 100 === 0) enforceLimits(store, NOW_MS);
    }
    ingestRecords(store, [startOf(1)]);
    expect([store.instances.size, store.instances.has('1')]).toEqual([10_000, true]);
    expect(store.totals.notKept.instances).toBe(100);
  });

  test('fewer are kept where their names are long', () => {
    const store = createStore(RUN_LIMITS);
    for (let pid = 1; pid <= 10_000; pid += 1) ingestRecords(store, [startOf(pid, 'x'.repeat(4_000))]);
    expect(store.instances.has('1')).toBe(true);
    expect(store.instances.bytes).toBeLessThan(25 * 1024 * 1024);
  });
});
