import { trace, type MeterProvider } from '@opentelemetry/api';
import { describe, expect, test } from '@jest/globals';

import { BusyLedger, divide } from '../../../src/export/busy-ledger.ts';
import { BusySeries } from '../../../src/export/busy-series.ts';
import { BusyTimeReporter, messageOf } from '../../../src/export/busy-time-reporter.ts';
import type { NamedCount, NamedWindow } from '../../../src/export/named-window.ts';
import { Saturation, saturationAttributes } from '../../../src/export/saturation.ts';
import { heldSpans } from '../support/tracing.js';

function count(functionName: string | undefined, answers: number, more: Partial<NamedCount> = {}): NamedCount {
  return {
    served: 'GET /search',
    request: 'GET /search',
    culprit:
      functionName === undefined ? undefined : { functionName, filePath: '/a.js', lineNumber: 3, columnNumber: 1 },
    culpritKey: functionName,
    stack: functionName === undefined ? '' : `serve;${functionName}`,
    isInBlock: false,
    answers,
    weightMs: answers * 200,
    lateAnswers: 0,
    ...more,
  };
}

function windowAt(start: number, busyMs: number, counts: readonly NamedCount[] = []): NamedWindow {
  return {
    threadId: 0,
    threadName: 'main',
    start,
    end: start + 1000,
    busyMs,
    runQueueMs: undefined,
    gcMs: undefined,
    counts,
  };
}

test('busy time is divided after ten seconds, by all answers of that time', () => {
  const ledger = new BusyLedger();
  for (let second = 0; second < 9; second++)
    expect(ledger.add(windowAt(second * 1000, 900, [count('a', 3)]))).toEqual([]);
  const parts = ledger.add(windowAt(9000, 900, [count('b', 9)]));
  expect(parts.reduce((sum, { ms }) => sum + ms, 0)).toBeCloseTo(9000);
  expect(parts.find(({ count: of }) => of?.culprit?.functionName === 'b')?.ms).toBeCloseTo(2250);
});

test('the time of a second without answers is kept until there are some, and belongs to nothing after a minute', () => {
  const ledger = new BusyLedger();
  for (let second = 0; second < 30; second++) expect(ledger.add(windowAt(second * 1000, 10))).toEqual([]);
  expect(ledger.add(windowAt(30_000, 10, [count('a', 1)]))).toEqual([{ count: count('a', 1), ms: 310 }]);
  const parts = Array.from({ length: 60 }, (_, second) => ledger.add(windowAt(40_000 + second * 1000, 10))).flat();
  expect(parts).toEqual([{ count: undefined, ms: 600 }]);
});

test('no busy time is divided into nothing', () => {
  expect(divide(0, [])).toEqual([]);
});

test.each([
  ['functions and requests', (i: number) => count(`f${i % 300}`, 1, { served: `r${i % 70}` })],
  ['functions of one request', (i: number) => count(`f${i}`, 1)],
  ['requests of one function', (i: number) => count('f', 1, { served: `r${i}` })],
  ['requests without functions', (i: number) => count(undefined, 1, { served: `r${i}` })],
])('1,000 different %s have at most 41 series', (_what, countOf) => {
  for (const hasFunctions of [true, false]) {
    const series = new BusySeries(hasFunctions);
    const names = new Set<string>();
    for (let i = 0; i < 1000; i++) names.add(JSON.stringify(series.namesFor(countOf(i), 1 + ((i * 7919) % 100))));
    expect(names.size).toBeLessThanOrEqual(41);
  }
});

test('the busiest pair has a series of its own although others came before it', () => {
  const series = new BusySeries(true);
  for (let i = 0; i < 1000; i++) series.namesFor(count(`f${i}`, 1), 1);
  for (let i = 0; i < 50; i++) series.namesFor(count('busiest', 1), 10);
  expect(series.namesFor(count('busiest', 1), 10)).toEqual({ request: 'GET /search', functionName: 'busiest' });
});

test('ten thousand names of threads have a hundred and one series', () => {
  const counted = new Map<unknown, number>();
  const counter = {
    add: (seconds: number, attributes: Record<string, unknown>): void => {
      const name = attributes['thread.name'];
      counted.set(name, (counted.get(name) ?? 0) + seconds);
    },
  };
  const meters = { getMeter: () => ({ createCounter: () => counter }) } as unknown as MeterProvider;
  const reporter = new BusyTimeReporter(true, heldSpans());
  for (let job = 0; job < 10_000; job++) {
    const window = { ...windowAt(0, 500, [count('a', 9)]), threadId: job, threadName: `job-${job}` };
    reporter.record(meters, trace.getTracerProvider(), window, {});
  }
  reporter.settle();
  expect(counted.size).toBe(101);
  expect(counted.get('job-0')).toBeCloseTo(0.5);
  expect(counted.get('other')).toBeCloseTo(9900 * 0.5);
});

test('a message has each request, function and stack once, the most frequent first', () => {
  const message = messageOf(
    windowAt(0, 500, [count('a', 1), count('b', 4), count('a', 2, { lateAnswers: 1 })]),
    1_000_000,
  );
  expect(message).toMatchObject({ startEpochMs: 1_000_000, durationMs: 1000, busyMs: 500, answers: 7 });
  expect(message.shares).toEqual([
    expect.objectContaining({ stack: 'serve;b', answers: 4, lateAnswers: 0 }),
    expect.objectContaining({ stack: 'serve;a', answers: 3, lateAnswers: 1 }),
  ]);
});

test('the span of a saturated loop names the function and the request with the most time, and says what is a guess', () => {
  const counts = [count('parse', 30, { lateAnswers: 20 }), count('render', 10, { served: 'GET /report' })];
  expect(saturationAttributes([windowAt(0, 950, counts)], 1000, 950, true)).toMatchObject({
    'code.function.name': 'parse',
    'event_loop.busy.share': 0.75,
    'event_loop.blocked.stack_quality': 'post_native',
    'event_loop.request': 'GET /search',
    'event_loop.busy.request_share': 0.75,
    'event_loop.utilization': 0.95,
    'event_loop.busy.profile': 'serve;parse 713\nserve;render 238',
  });
});

test('the span of a saturated loop names one of several functions without a name, with its own share', () => {
  const counts = [5, 11, 20].map((line, i) => count('<anonymous>', 10 + i, { culpritKey: `/a.js:${line}` }));
  expect(saturationAttributes([windowAt(0, 990, counts)], 1000, 990, true)).toMatchObject({
    'code.function.name': '<anonymous>',
    'event_loop.busy.share': 12 / 33,
  });
});

test.each([
  ['is its wait for a CPU, in seconds', [400, 200], 0.6],
  ['is 0 where the thread has not waited', [0, 0], 0],
  ['is absent where the system does not show it all the time', [400, undefined], undefined],
])('what the span of a saturated loop says of the run queue %s', (_what, runQueueMs, seconds) => {
  const windows = runQueueMs.map((ms, i) => ({ ...windowAt(i * 1000, 950), runQueueMs: ms }));
  expect(saturationAttributes(windows, 2000, 1900, true)['event_loop.busy.run_queue_time']).toBe(seconds);
});

test.each([
  ['is their time, in seconds', [400, 200], 0.6],
  ['is 0 where there were none', [0, 0], 0],
  ['is that of all the time, by the part in which they were measured', [undefined, 400, 200, undefined], 1.2],
  ['is absent where they were not measured for half of it', [400, undefined, undefined], undefined],
])('what the span of a saturated loop says of collections %s', (_what, gcMs, seconds) => {
  const windows = gcMs.map((ms, i) => ({ ...windowAt(i * 1000, 950), gcMs: ms }));
  const found = saturationAttributes(windows, gcMs.length * 1000, gcMs.length * 950, true)['event_loop.busy.gc_time'];
  expect(typeof found === 'number' ? Number(found.toFixed(9)) : found).toBe(seconds);
});

describe('the time that the span of a saturated loop covers', () => {
  function spansOf(windows: readonly NamedWindow[]): { start: unknown; end: unknown }[] {
    const spans: { start: unknown; end: unknown }[] = [];
    const startSpan = (_name: string, { startTime }: { startTime: unknown }): unknown => ({
      end: (end: unknown) => spans.push({ start: startTime, end }),
    });
    const saturation = new Saturation(true, heldSpans());
    for (const window of windows) saturation.add(window, { getTracer: () => ({ startSpan }) } as never);
    return spans;
  }

  test('is ten seconds where they have enough answers', () => {
    const windows = Array.from({ length: 20 }, (_, i) => windowAt(i * 1000, 950, [count('a', 5)]));
    expect(spansOf(windows)).toEqual([{ start: 0, end: 10_000 }]);
  });

  test('is as long as it takes for enough answers, where the thread is asked more rarely', () => {
    const windows = Array.from({ length: 80 }, (_, i) => windowAt(i * 1000, 950, [count('a', i < 10 ? 5 : 2)]));
    expect(spansOf(windows)).toEqual([
      { start: 0, end: 10_000 },
      { start: 45_000, end: 70_000 },
    ]);
  });

  test('has no time in which the loop was not saturated', () => {
    const windows = Array.from({ length: 40 }, (_, i) => windowAt(i * 1000, i < 20 ? 100 : 950, [count('a', 1)]));
    expect(spansOf(windows)).toEqual([{ start: 20_000, end: 30_000 }]);
  });
});
