import { describe, expect, test } from '@jest/globals';

import { type BusyAnswers, type BusyPeriod, divideBusyTime, sumBusyTime } from '../../src/model/busy-time/busy.js';
import { halvePeriods, limitAnswers, MAX_ANSWERS_OF_PERIOD } from '../../src/model/busy-time/busy-periods.js';
import { type BusyFacts, busySentences } from '../../src/model/busy-time/busy-sentence.js';
import { busyView } from '../../src/model/busy-time/busy-view.js';
import { busyPeriodsOfRecording, recordBusyTime } from '../../src/model/busy-time/recorded-busy-time.js';
import { precisionText, shareInterval } from '../../src/model/text/share-interval.js';
import { makeBlock, makeBusyPeriod as makePeriod, makeLag } from '../support/records.js';

const parse = { functionName: 'parseFilters', filePath: '/app/src/filters.ts', lineNumber: 12, columnNumber: 3 };
const row = { functionName: 'toRow', filePath: '/app/src/list.ts', lineNumber: 8, columnNumber: 1 };
const search: BusyAnswers = { request: 'GET /search', culprit: parse, stack: 'listener;parseFilters', weight: 1 };
const list: BusyAnswers = { request: 'GET /list', culprit: row, stack: 'listener;toRow', weight: 1 };

/** A period in each second, of as many answers each. */
function seconds(count: number, answers: readonly BusyAnswers[], overrides: Partial<BusyPeriod> = {}): BusyPeriod[] {
  const answerCount = answers.reduce((sum, { weight }) => sum + weight, 0);
  return Array.from({ length: count }, (_, second) =>
    makePeriod({ startMs: second * 1000, endMs: second * 1000 + 1000, answerCount, answers, ...overrides }),
  );
}

describe('The busy time', () => {
  test('is divided by all answers of a thread: a period without one loses nothing, one of few answers gains nothing', () => {
    const parts = divideBusyTime([
      makePeriod({ busyMs: 900, answers: [{ ...search, weight: 9 }] }),
      makePeriod({ busyMs: 60, answers: [] }),
      makePeriod({ busyMs: 40, answers: [list] }),
    ]);
    expect(sumBusyTime(parts)).toMatchObject([
      { request: 'GET /search', ms: 900 },
      { request: 'GET /list', ms: 100 },
    ]);
  });

  test('of one thread is not divided by the answers of another one', () => {
    const parts = divideBusyTime([
      makePeriod({ busyMs: 100, answers: [{ ...search, weight: 90 }] }),
      makePeriod({ threadId: 1, busyMs: 900, answers: [{ ...list, weight: 10 }] }),
    ]);
    expect(sumBusyTime(parts).map(({ request, ms }) => [request, ms])).toEqual([
      ['GET /list', 900],
      ['GET /search', 100],
    ]);
  });

  test('has the fields of --json, with the parts in blocks and of guesses', () => {
    const parts = divideBusyTime([
      makePeriod({
        busyMs: 1000,
        answerCount: 10,
        answers: [
          { ...search, weight: 4 },
          { ...search, stack: 'other;parseFilters', weight: 2, isInBlock: true },
          { ...search, weight: 2, lateWeight: 1 },
          { weight: 2 },
        ],
      }),
    ]);
    expect(sumBusyTime(parts)).toEqual([
      {
        request: 'GET /search',
        culprit: { functionName: 'parseFilters', filePath: '/app/src/filters.ts', lineNumber: 12 },
        ms: 800,
        blockedMs: 200,
        guessMs: 100,
        answers: 8,
      },
      { ms: 200, blockedMs: 0, guessMs: 0, answers: 2 },
    ]);
  });

  test('of functions without a name in one file is that of each, by where it is defined', () => {
    const at = (lineNumber: number, columnNumber: number, stack: string, weight: number): BusyAnswers => {
      return {
        culprit: { functionName: '<anonymous>', filePath: '/app/bus.js', lineNumber, columnNumber },
        stack,
        weight,
      };
    };
    const answers = [
      at(7, 5, 'emit;<anonymous bus.js:5>', 3),
      at(8, 3, 'emit;<anonymous bus.js:5>', 1),
      at(13, 5, 'emit;<anonymous bus.js:11>', 2),
      at(30, 1800, 'emit;<anonymous bus.js:30:1782>', 4),
      at(30, 2500, 'emit;<anonymous bus.js:30:2479>', 5),
    ];
    const entries = sumBusyTime(divideBusyTime([makePeriod({ busyMs: 150, answerCount: 15, answers })]));
    expect(entries.map(({ culprit, ms }) => [culprit?.lineNumber, culprit?.columnNumber, ms])).toEqual([
      [30, 2500, 50],
      [7, undefined, 40],
      [30, 1800, 40],
      [13, undefined, 20],
    ]);
  });

  test('without any answer is time of which nothing is known', () => {
    expect(sumBusyTime(divideBusyTime([makePeriod({ busyMs: 70, answerCount: 0, answers: [] })]))).toEqual([
      { ms: 70, blockedMs: 0, guessMs: 0, answers: 0 },
    ]);
  });

  test('of a metric, which says no number of answers, is what its series say', () => {
    const { answerCount: _unknown, ...period } = makePeriod({ busyMs: 300 });
    const answers = [
      { ...search, weight: 200 },
      { ...list, weight: 100 },
    ];
    expect(sumBusyTime(divideBusyTime([{ ...period, answers }]))).toMatchObject([
      { ms: 200, answers: 0 },
      { ms: 100, answers: 0 },
    ]);
  });

  test('within a range is the part of it', () => {
    const periods = [...seconds(1, [search]), makePeriod({ startMs: 1000, endMs: 2000, busyMs: 900, answers: [list] })];
    const entries = sumBusyTime(divideBusyTime(periods, { fromMs: 1500, toMs: 9000 }));
    expect(entries.map(({ request, ms }) => [request, ms])).toEqual([['GET /list', 450]]);
  });

  test('is the same from a recording, which writes each stack once', () => {
    const periods = seconds(5, [{ ...search, weight: 3, lateWeight: 1 }, list]);
    const recorded = recordBusyTime(periods);
    expect(recorded.said).toHaveLength(2);
    expect(busyPeriodsOfRecording(recorded)).toEqual(periods);
    expect(busyPeriodsOfRecording({ ...recorded, said: [] }).flatMap(({ answers }) => answers)).toEqual([]);
  });

  test('is the same with half as many periods', () => {
    const periods = seconds(5, [{ ...search, weight: 3 }, list]);
    const halved = halvePeriods(periods);
    expect(halved.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
      [0, 2000],
      [2000, 4000],
      [4000, 5000],
    ]);
    expect(sumBusyTime(divideBusyTime(halved))).toEqual(sumBusyTime(divideBusyTime(periods)));
  });

  test('of any number of requests, functions and stacks is bounded; none of it is lost, and the frequent ones stay', () => {
    const rare = Array.from({ length: 2000 }, (_, n): BusyAnswers => ({
      request: `GET /${n}`,
      culprit: { ...parse, functionName: `f${n}` },
      stack: `a;f${n}`,
      weight: 1,
    }));
    const period = limitAnswers(makePeriod({ busyMs: 1000, answers: [...rare, { ...search, weight: 500 }] }));
    expect(period.answers.length).toBeLessThanOrEqual(MAX_ANSWERS_OF_PERIOD);
    expect(period.answers.reduce((sum, { weight }) => sum + weight, 0)).toBe(2500);
    expect(sumBusyTime(divideBusyTime([period])).find(({ request }) => request === 'GET /search')?.ms).toBe(200);
  });

  test('as a flame graph has the time of each stack, with blocks and without', () => {
    const { flame, flameOutsideBlocks, busyMs, blockedMs } = busyView(
      seconds(
        1,
        [
          { ...search, weight: 3 },
          { ...list, isInBlock: true },
        ],
        { busyMs: 800 },
      ),
    );
    expect([busyMs, blockedMs]).toEqual([800, 200]);
    expect(flame).toMatchObject({ value: 800, children: [{ name: 'listener', value: 800 }] });
    const [frame] = flameOutsideBlocks.children[0]!.children;
    expect(frame).toEqual({
      name: 'parseFilters',
      place: '/app/src/filters.ts:12',
      kind: 'application',
      value: 600,
      children: [],
    });
  });
});

describe('The sentence on busy loops', () => {
  const facts: BusyFacts = {
    periods: seconds(30, [{ ...search, weight: 4 }, { ...list, weight: 2 }, { weight: 1 }], { busyMs: 930 }),
    blocks: [],
    lag: [],
    instances: [{ id: 'i1', service: 'app.js', label: 'pid 1' }],
    directory: '/app',
  };

  test('names the requests and functions that hold the loop, and how sure that is', () => {
    expect(busySentences(facts)).toEqual([
      'The loop was busy 93 % of 30 s, no block: 57 % in GET /search, parseFilters (src/filters.ts:12); ' +
        '29 % in GET /list, toRow (src/list.ts:8); 14 % in no known function (210 answers, ± 7 points at most).',
    ]);
  });

  test.each([
    ['where that is much', [400, 400], ', 43 % of it in garbage collections, no block: '],
    ['by the part in which they were measured', [undefined, 400], ', 43 % of it in garbage collections, no block: '],
    ['not where they were measured for less than half of it', [undefined, 400, undefined], ', no block: '],
    ['not where it is little', [100, 100], ', no block: '],
    ['not where they were not measured', [undefined], ', no block: '],
  ])('says how much of the time is in garbage collections, %s', (_, gcMs, text) => {
    const periods = facts.periods.map((period, i) => {
      const ms = gcMs[i % gcMs.length];
      return ms === undefined ? period : { ...period, gcMs: ms, gcMeasuredMs: period.busyMs };
    });
    const start = `The loop was busy 93 % of 30 s${text}`;
    for (const kept of [periods, halvePeriods(periods), halvePeriods(halvePeriods(periods))]) {
      expect(busySentences({ ...facts, periods: kept })[0]?.slice(0, start.length)).toBe(start);
    }
  });

  test('says for how much of the time no function is known, unless that is little or the request is', () => {
    const of = (unseen: BusyAnswers): string | undefined =>
      busySentences({ ...facts, periods: seconds(30, [{ ...search, weight: 9 }, unseen]) })[0];
    expect(of({ weight: 11 })).toContain(
      ': 45 % in GET /search, parseFilters (src/filters.ts:12); 55 % in no known function (',
    );
    expect(of({ weight: 0.9 })).toContain(': 91 % in GET /search, parseFilters (src/filters.ts:12) (');
    expect(busySentences({ ...facts, periods: seconds(30, [{ weight: 9 }]) })[0]).toContain(
      ': 100 % in no known function (',
    );
    const many = Array.from({ length: 20 }, (_, n): BusyAnswers => {
      const culprit = { ...parse, functionName: `f${n}` };
      return { request: `GET /${n}`, culprit, weight: 1 };
    });
    expect(busySentences({ ...facts, periods: seconds(30, [...many, { weight: 30 }]) })[0]).toContain(
      ': 60 % in no known function; the rest in many functions, none of them with 10 % of it (',
    );
  });

  test.each([
    [undefined, 'The loop was busy 93 % of 30 s, no block: '],
    [100, 'The loop was busy 93 % of 30 s, no block: '],
    [744, 'The loop was busy 93 % of 30 s, 80 % of it waiting for CPU, no block: '],
    [9999, 'The loop was busy 93 % of 30 s, 100 % of it waiting for CPU, no block: '],
  ])('does not take %s ms of 930 without a CPU for work', (runQueueMs, start) => {
    const periods = facts.periods.map((period) => ({ ...period, ...(runQueueMs !== undefined && { runQueueMs }) }));
    expect(busySentences({ ...facts, periods })[0]?.slice(0, start.length)).toBe(start);
    const [joined, ...others] = halvePeriods(halvePeriods(periods));
    expect(joined?.runQueueMs).toBe(runQueueMs && runQueueMs * 4);
    expect(busySentences({ ...facts, periods: [joined!, ...others] })[0]?.slice(0, start.length)).toBe(start);
  });

  test('says how long what arrives waits then', () => {
    const lag = [
      makeLag({ startMs: 2000, endMs: 3000 }),
      makeLag({ startMs: 60_000, endMs: 61_000, counts: [0, 0, 0, 9, 0] }),
    ];
    expect(busySentences({ ...facts, lag })[0]).toContain(
      ' What arrives then waits 556 µs for the loop, one in ten 1.0 ms or longer, at each step of a request.',
    );
  });

  test('stands beside blocks that hold the smaller part, and not beside those that hold most', () => {
    const block = makeBlock({ startMs: 3000, durationMs: 2790 });
    expect(busySentences({ ...facts, blocks: [block] })[0]).toContain('93 % of 30 s, 10 % of it in blocks: ');
    expect(busySentences({ ...facts, blocks: [{ ...block, durationMs: 20_000 }] })).toEqual([]);
    expect(busySentences({ ...facts, blocks: [{ ...block, threadId: 7, threadName: 'other' }] })[0]).toContain(
      'no block',
    );
  });

  test('marks a function that is a guess', () => {
    const periods = seconds(30, [{ ...search, weight: 5, lateWeight: 3 }], { busyMs: 930 });
    expect(busySentences({ ...facts, periods })[0]).toContain(
      '100 % in GET /search, ≈ parseFilters (src/filters.ts:12)',
    );
  });

  test('names the request where many functions share it, and nothing where many requests do', () => {
    const many = (of: (n: number) => Partial<BusyAnswers>): BusyFacts => ({
      ...facts,
      periods: seconds(
        30,
        Array.from({ length: 20 }, (_, n) => ({ ...search, ...of(n) })),
      ),
    });
    const culprit = (n: number): Partial<BusyAnswers> => ({ culprit: { ...parse, functionName: `f${n}` } });
    expect(busySentences(many(culprit))[0]).toContain(': 100 % in GET /search, in many functions (');
    expect(busySentences(many((n) => ({ request: `GET /${n}` })))[0]).toContain(
      ': 100 % in parseFilters (src/filters.ts:12) (',
    );
    expect(busySentences(many((n) => ({ ...culprit(n), request: `GET /${n}` })))[0]).toContain(
      ': in many functions, none of them with 10 % of it (',
    );
  });

  test.each([
    ['few answers', { periods: seconds(12, [{ ...search, weight: 8 }]) }],
    [
      'a loop that is idle for a third of the time',
      { periods: seconds(30, [{ ...search, weight: 7 }], { busyMs: 660 }) },
    ],
    ['two seconds of a busy loop', { periods: seconds(2, [{ ...search, weight: 90 }]) }],
    ['no busy time', { periods: [] }],
  ])('says nothing of %s', (_what, change) => {
    expect(busySentences({ ...facts, ...change })).toEqual([]);
  });

  test('is one for equal threads of a service, and names the service where several report', () => {
    const instances = [...facts.instances, { id: 'i2', service: 'app.js', label: 'pid 2' }];
    const cluster = [...facts.periods, ...facts.periods.map((period) => ({ ...period, instance: 'i2' }))];
    expect(busySentences({ ...facts, periods: cluster, instances })).toEqual([
      expect.stringMatching(/^The loops of 2 processes were busy 93 % of 30 s, /),
    ]);
    const others = [facts.instances[0]!, { id: 'i2', service: 'jobs.js', label: 'pid 2' }];
    expect(busySentences({ ...facts, periods: cluster, instances: others })).toEqual([
      expect.stringMatching(/^The loop of app\.js was busy /),
      expect.stringMatching(/^The loop of jobs\.js was busy /),
    ]);
  });
});

test('The interval of a share contains the truth in 95 of 100 cases, and narrows with the answers', () => {
  expect(shareInterval(0, 0)).toEqual({ low: 0, high: 1 });
  expect([1, 32, 600].map(precisionText)).toEqual([
    '1 answer, ± 45 points at most',
    '32 answers, ± 17 points at most',
    '600 answers, ± 4 points at most',
  ]);
  expect(shareInterval(50, 100).low).toBeCloseTo(0.404, 3);
  expect(shareInterval(50, 100).high).toBeCloseTo(0.596, 3);
  expect(shareInterval(0, 100).low).toBe(0);
  expect(shareInterval(0, 100).high).toBeCloseTo(0.037, 3);
  let seed = 1;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  let right = 0;
  for (let run = 0; run < 2000; run++) {
    let hits = 0;
    for (let n = 0; n < 100; n++) if (random() < 0.2) hits += 1;
    const { low, high } = shareInterval(hits, 100);
    if (low <= 0.2 && 0.2 <= high) right += 1;
  }
  expect(right / 2000).toBeGreaterThan(0.93);
});
