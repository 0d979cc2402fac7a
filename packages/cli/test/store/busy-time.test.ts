import { describe, expect, test } from '@jest/globals';

import { parseRecord } from '../../src/channel/parse-record.js';
import type { DecodedMetric, DecodedPoint, SpanGroup } from '../../src/cli/otlp/decoded.js';
import { addBusyPeriod, MAX_PERIODS_OF_THREAD } from '../../src/cli/store/busy-periods.js';
import { ingestMetrics } from '../../src/cli/store/ingest-metrics.js';
import { ingestSpans } from '../../src/cli/store/ingest-spans.js';
import { enforceLimits, keptBytes } from '../../src/cli/store/retention.js';
import { MAX_SATURATIONS } from '../../src/cli/store/saturations.js';
import { busyPeriodsOf, createStore, DEFAULT_LIMITS, type Store } from '../../src/cli/store/store.js';
import { divideBusyTime, sumBusyTime } from '../../src/model/busy-time/busy.js';
import { saturationSentences } from '../../src/model/delays/saturation.js';
import { makeBusyPeriod } from '../support/records.js';

const NOW_MS = 1_795_000_000_000;
const RESOURCE = { 'service.name': 'api', 'process.pid': 7 };

describe('A record of busy time', () => {
  const period = makeBusyPeriod({ answers: [{ request: 'GET /', stack: 'a;b', weight: 2, lateWeight: 1 }] });

  test('is taken with the fields that are known', () => {
    expect(parseRecord(JSON.stringify({ type: 'busy', period: { ...period, more: 1 } }))).toEqual({
      type: 'busy',
      period,
    });
  });

  test.each([
    ['no weight', { answers: [{ request: 'GET /' }] }, []],
    ['a weight that is no number', { answers: [{ weight: '9' }, { weight: -1 }, { weight: 1e300 }] }, []],
    [
      'a name of any length',
      { answers: [{ request: 'x'.repeat(9_999), weight: 1 }] },
      [expect.objectContaining({ weight: 1 })],
    ],
  ])('is taken without answers of %s', (_what, change, answers) => {
    expect(parseRecord(JSON.stringify({ type: 'busy', period: { ...period, ...change } }))).toMatchObject({
      period: { answers },
    });
  });

  test.each([
    ['ends before it starts', { endMs: -1 }],
    ['is longer than a year', { endMs: 1e12 }],
    ['has no busy time', { busyMs: 0 }],
    ['is busy for longer than any time', { busyMs: 1e300 }],
    ['has no answers', { answers: 7 }],
  ])('is refused where it %s', (_what, change) => {
    expect(parseRecord(JSON.stringify({ type: 'busy', period: { ...period, ...change } }))).toBeUndefined();
  });
});

test('Busy time of any length is kept in a bounded number of periods, and none of it is lost', () => {
  const store = createStore();
  for (let second = 0; second < 2000; second++) {
    const startMs = second * 1000;
    addBusyPeriod(store, makeBusyPeriod({ startMs, endMs: startMs + 1000, answerCount: 1, answers: [{ weight: 1 }] }));
  }
  const periods = busyPeriodsOf(store);
  expect(periods.length).toBeLessThanOrEqual(MAX_PERIODS_OF_THREAD);
  expect(sumBusyTime(divideBusyTime(periods))).toEqual([{ ms: 1_800_000, blockedMs: 0, guessMs: 0, answers: 2000 }]);
});

test('Busy time stays within its part of the memory, and what is evicted is counted', () => {
  const store = createStore({ ...DEFAULT_LIMITS, maxBytes: 4_000_000 });
  for (let n = 0; n < 3000; n++) {
    const answers = [{ request: `GET /${n}`, stack: 'x'.repeat(1_000), weight: 1 }];
    addBusyPeriod(store, makeBusyPeriod({ instance: `i${n}`, startMs: NOW_MS, endMs: NOW_MS + 1000, answers }));
    enforceLimits(store, NOW_MS);
  }
  expect(keptBytes(store)).toBeLessThan(4_000_000 / 16 + 10_000);
  expect(store.totals.notKept.busyPeriods).toBeGreaterThan(2_000);
  enforceLimits(store, NOW_MS + DEFAULT_LIMITS.retentionMs + 2_000);
  expect(store.busyPeriods.size).toBe(0);
});

describe('The metric event_loop.busy_time', () => {
  test('is kept as the time of each request and function, of which each export adds the difference', () => {
    const store = createStore();
    ingestMetrics(store, [metricOf('cumulative', [pointOf(1, 3), pointOf(1, 1, { request: 'GET /list' })])], NOW_MS);
    ingestMetrics(store, [metricOf('cumulative', [pointOf(2, 9), pointOf(2, 1, { request: 'GET /list' })])], NOW_MS);
    expect(entriesOf(store)).toEqual([
      ['GET /search', 'parseFilters', 9_000],
      ['GET /list', 'parseFilters', 1_000],
    ]);
    expect(busyPeriodsOf(store)).toHaveLength(2);
  });

  test('starts again after a restart, and is a sum where the source sends differences', () => {
    const store = createStore();
    ingestMetrics(store, [metricOf('cumulative', [pointOf(1, 5)])], NOW_MS);
    ingestMetrics(store, [metricOf('cumulative', [{ ...pointOf(2, 2), startMs: NOW_MS - 9_000 }])], NOW_MS);
    expect(entriesOf(store)).toEqual([['GET /search', 'parseFilters', 7_000]]);
    const delta = createStore();
    for (const second of [1, 2]) ingestMetrics(delta, [metricOf('delta', [pointOf(second, 2)])], NOW_MS);
    expect(entriesOf(delta)).toEqual([['GET /search', 'parseFilters', 4_000]]);
  });

  test('of values that cannot be true is not kept', () => {
    const store = createStore();
    const hostile = [NaN, -1, Infinity, 1e300, 0].map((value, n) => ({ ...pointOf(1, value), attributes: { n } }));
    ingestMetrics(store, [metricOf('delta', hostile)], NOW_MS);
    ingestMetrics(store, [metricOf('delta', [{ ...pointOf(1, 2), endMs: NOW_MS + 1e9 * 1e9 }])], NOW_MS);
    expect(entriesOf(store)).toEqual([]);
  });
});

describe('A span of a saturated loop', () => {
  const known = {
    'event_loop.utilization': 0.97,
    'event_loop.busy.answer_count': 50,
    'event_loop.request': 'GET /search',
    'event_loop.busy.request_share': 0.63,
    'code.function.name': 'parseFilters',
    'code.file.path': '/app/src/filters.ts',
    'code.line.number': 12,
    'event_loop.busy.share': 0.41,
  };

  test('is a sentence, about the last one of a service', () => {
    const store = createStore();
    ingestSpans(store, [spanOf(1, { ...known, 'event_loop.request': 'GET /old' }, 60_000), spanOf(2, known)], NOW_MS);
    expect(sentencesOf(store)).toEqual([
      'The loop of api was busy 97 % of 10 s: 63 % in GET /search; 41 % in parseFilters (/app/src/filters.ts:12) (50 answers, ± 14 points at most). This is the last of 2 times.',
    ]);
  });

  test('says how much of the busy time the thread waited for a CPU, or collected garbage, where that is much', () => {
    const store = createStore();
    ingestSpans(store, [spanOf(1, { ...known, 'event_loop.busy.run_queue_time': 5.2 })], NOW_MS);
    expect(sentencesOf(store)[0]).toContain('97 % of 10 s, 54 % of it waiting for CPU: 63 % in GET /search');
    const collecting = createStore();
    ingestSpans(collecting, [spanOf(1, { ...known, 'event_loop.busy.gc_time': 4.3 })], NOW_MS);
    expect(sentencesOf(collecting)[0]).toContain('97 % of 10 s, 44 % of it in garbage collections: 63 %');
    const little = createStore();
    ingestSpans(little, [spanOf(1, { ...known, 'event_loop.busy.run_queue_time': 0.4 })], NOW_MS);
    expect(sentencesOf(little)[0]).toContain('97 % of 10 s: 63 %');
  });

  test('marks a guess, and names nothing of few answers', () => {
    const store = createStore();
    ingestSpans(store, [spanOf(1, { ...known, 'event_loop.blocked.stack_quality': 'post_native' })], NOW_MS);
    expect(sentencesOf(store)[0]).toContain('41 % in ≈ parseFilters (');
    const few = createStore();
    ingestSpans(few, [spanOf(1, { ...known, 'event_loop.busy.answer_count': 7 })], NOW_MS);
    expect(sentencesOf(few)).toEqual(['The loop of api was busy 97 % of 10 s.']);
    const nameless = createStore();
    ingestSpans(nameless, [spanOf(1, { 'event_loop.utilization': 0.97, 'event_loop.busy.answer_count': 50 })], NOW_MS);
    expect(sentencesOf(nameless)).toEqual(['The loop of api was busy 97 % of 10 s.']);
  });

  test('is refused without a share, and bounded in number', () => {
    const store = createStore();
    ingestSpans(store, [spanOf(1, { ...known, 'event_loop.utilization': 7 })], NOW_MS);
    expect([store.saturations.size, store.totals.notKept.invalid]).toEqual([0, 1]);
    for (let n = 0; n < MAX_SATURATIONS + 50; n++) ingestSpans(store, [spanOf(n + 1, known, n * 100)], NOW_MS);
    expect([store.saturations.size, store.totals.notKept.busyPeriods]).toEqual([MAX_SATURATIONS, 50]);
  });
});

function pointOf(second: number, value: number, { request = 'GET /search' } = {}): DecodedPoint {
  const attributes = { 'event_loop.request': request, 'code.function.name': 'parseFilters' };
  return { attributes, startMs: NOW_MS - 10_000, endMs: NOW_MS - 10_000 + second * 1000, value };
}

function metricOf(temporality: DecodedMetric['temporality'], points: DecodedPoint[]): DecodedMetric {
  return { resource: RESOURCE, scope: 'test', name: 'event_loop.busy_time', unit: 's', temporality, points };
}

function entriesOf(store: Store): unknown[] {
  return sumBusyTime(divideBusyTime(busyPeriodsOf(store))).map(({ request, culprit, ms }) => [
    request,
    culprit?.functionName,
    ms,
  ]);
}

function sentencesOf(store: Store): string[] {
  return saturationSentences(store.saturations.values(), store.instances);
}

function spanOf(n: number, attributes: SpanGroup['spans'][number]['attributes'], agoMs = 0): SpanGroup {
  const span = {
    traceId: n.toString(16).padStart(32, '0'),
    spanId: n.toString(16).padStart(16, '0'),
    parentSpanId: '',
    name: 'event-loop-saturated',
    kind: 1,
    startMs: NOW_MS - 10_000 - agoMs,
    endMs: NOW_MS - agoMs,
    attributes,
    statusCode: 0,
    links: [],
  };
  return { resource: RESOURCE, scope: 'test', spans: [span] };
}

describe('Cumulative busy time of many processes', () => {
  const ROUNDS = 4;
  const SERIES = 41;
  const secondsOf = (processes: number, limits = DEFAULT_LIMITS): { seconds: number; store: Store } => {
    const store = createStore(limits);
    const startMs = NOW_MS - 60_000;
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (let pid = 1; pid <= processes; pid += 1) {
        const endMs = startMs + round * 10_000;
        const points = Array.from({ length: SERIES }, (_, index): DecodedPoint => {
          return { attributes: { 'code.function.name': `f${index}` }, startMs, endMs, value: round };
        });
        const resource = { 'service.name': 'api', 'process.pid': pid };
        const metric = { resource, scope: '', name: 'event_loop.busy_time', unit: 's', points };
        ingestMetrics(store, [{ ...metric, temporality: 'cumulative' }], NOW_MS);
        enforceLimits(store, NOW_MS);
      }
    }
    return { seconds: busyPeriodsOf(store).reduce((sum, { busyMs }) => sum + busyMs / 1000, 0), store };
  };

  test('is counted once', () => {
    expect(secondsOf(60).seconds).toBeCloseTo(60 * SERIES * ROUNDS);
  });

  test('is missing, and not counted twice, where there are more series than are remembered', () => {
    const { seconds, store } = secondsOf(4, { ...DEFAULT_LIMITS, maxThreads: 10 });
    expect(seconds).toBeLessThanOrEqual(4 * SERIES * ROUNDS);
    expect(store.totals.notKept.busyPeriods).toBeGreaterThan(0);
  });

  test('is counted once where a batch arrives again', () => {
    const store = createStore();
    const point = { attributes: {}, startMs: NOW_MS - 60_000, value: 1 };
    const metric = { resource: RESOURCE, scope: '', name: 'event_loop.busy_time', unit: 's' };
    for (const [endMs, value] of [
      [NOW_MS - 20_000, 1],
      [NOW_MS - 10_000, 3],
      [NOW_MS - 20_000, 1],
      [NOW_MS, 4],
    ] as const) {
      const points = [{ ...point, endMs, value }];
      ingestMetrics(store, [{ ...metric, temporality: 'cumulative', points }], NOW_MS);
    }
    expect(busyPeriodsOf(store).map(({ busyMs }) => busyMs)).toEqual([1_000, 2_000, 1_000]);
  });
});
