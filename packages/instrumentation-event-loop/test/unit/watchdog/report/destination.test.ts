import { beforeEach, describe, expect, test } from '@jest/globals';
import type { OtlpEndpoint } from '../../../../src/contract/hang-report.js';
import {
  Destination,
  MAX_WAITING_REPORTS,
  type ReportRequest,
  type Transport,
} from '../../../../src/watchdog/report/destination.js';
import type { Done, Outcome } from '../../../../src/watchdog/report/send.js';

const ENDPOINT: OtlpEndpoint = {
  url: 'http://receiver/v1/traces',
  headers: {},
  timeoutMs: 1000,
  certificate: undefined,
  clientKey: undefined,
  clientCertificate: undefined,
};

/** Bodies in the order in which they were sent, and the requests that are not answered yet. */
let sent: string[];
let open: Done[];
/** The clock of the test, ms. */
let now: number;
let timers: { readonly at: number; readonly callback: () => void }[];
let forgotten: string[];
let toldOf: number;
let destination: Destination;

beforeEach(() => {
  sent = [];
  open = [];
  now = 0;
  timers = [];
  forgotten = [];
  toldOf = 0;
  const transport: Transport = {
    send: (_, body, done) => {
      sent.push(body);
      open.push(done);
    },
    setTimeout: (callback, ms) => timers.push({ at: now + ms, callback }),
    random: () => 0,
  };
  destination = new Destination(() => toldOf++, transport);
});

function report(body: string, droppedCount = 0, isLeftover = false): ReportRequest {
  return { endpoint: ENDPOINT, body, droppedCount, isLeftover, forget: () => forgotten.push(body) };
}

function gauge(thread: string, body: string): void {
  destination.gauge(thread, { endpoint: ENDPOINT, body });
}

function answer(outcome: Outcome, retryAfterMs = 0): void {
  open.shift()!(outcome, retryAfterMs);
}

/** Lets the time pass, and a receiver that answers all requests at once with that outcome. */
function pass(ms: number, outcome: Outcome, retryAfterMs = 0): void {
  const end = now + ms;
  for (;;) {
    while (open.length > 0) answer(outcome, retryAfterMs);
    const [next] = timers.sort((a, b) => a.at - b.at);
    if (!next || next.at > end) break;
    timers.shift();
    now = next.at;
    next.callback();
  }
  now = end;
}

test('one request at a time', () => {
  destination.report(report('a'));
  destination.report(report('b'));
  gauge('main', '1');
  expect(sent).toEqual(['a']);
  answer('sent');
  expect(open).toHaveLength(1);
  while (open.length > 0) answer('sent');
  expect(sent.sort()).toEqual(['1', 'a', 'b']);
  expect(forgotten).toEqual(['a', 'b']);
  expect(destination.isIdle).toBe(true);
});

test('reports come in order, and what an earlier process has left comes last', () => {
  for (const body of ['left 1', 'left 2']) destination.report(report(body, 0, true));
  for (const body of ['a', 'b']) destination.report(report(body));
  answer('retry');
  pass(10_000, 'sent');
  expect(sent).toEqual(['left 1', 'a', 'b', 'left 1', 'left 2']);
});

describe('a receiver that fails', () => {
  test('gets a bounded number of requests in five minutes, however many reports and gauges there are', () => {
    for (let i = 0; i < 300; i++) {
      destination.report(report(`report ${i}`));
      gauge('main', `gauge ${i}`);
      pass(1000, 'retry');
    }
    expect(sent.length).toBeGreaterThan(5);
    expect(sent.length).toBeLessThan(15);
  });

  test('gets reports and gauges in turn: it may accept one of them', () => {
    destination.report(report('report'));
    gauge('main', 'gauge');
    pass(20_000, 'retry');
    expect(sent.slice(0, 2)).toEqual(['report', 'gauge']);
    expect(sent.slice(2)).toEqual(sent.slice(2).fill('report'));
  });

  test('is waited for as long as it asks', () => {
    destination.report(report('a'));
    answer('retry', 90_000);
    pass(89_000, 'sent');
    expect(sent).toEqual(['a']);
    pass(20_000, 'sent');
    expect(sent).toEqual(['a', 'a']);
  });

  test('and recovers gets all that waits, and short delays again', () => {
    destination.report(report('a'));
    pass(100_000, 'retry');
    destination.report(report('b'));
    pass(60_000, 'sent');
    expect(forgotten).toEqual(['a', 'b']);
    sent = [];
    destination.report(report('c'));
    answer('retry');
    pass(2000, 'sent');
    expect(sent).toEqual(['c', 'c']);
  });
});

describe('of a gauge', () => {
  test('only the newest value of each thread waits', () => {
    destination.report(report('a'));
    for (let i = 0; i < 100; i++) gauge('main', `main ${i}`);
    gauge('worker', 'worker 0');
    pass(0, 'sent');
    expect(sent).toEqual(['a', 'main 99', 'worker 0']);
  });

  test('of more threads than 64, no more wait', () => {
    destination.report(report('a'));
    for (let i = 0; i < 1000; i++) gauge(`worker ${i}`, String(i));
    pass(0, 'sent');
    expect(sent).toHaveLength(1 + 64);
  });
});

test('what an earlier process has left is dropped first, and not counted: it stays on disk', () => {
  destination.report(report('first'));
  for (let i = 0; i < MAX_WAITING_REPORTS + 5; i++) destination.report(report(`left ${i}`, 0, true));
  destination.report(report('second'));
  expect(destination.takeDroppedCount()).toBe(0);
  pass(0, 'sent');
  expect(sent.slice(0, 3)).toEqual(['first', 'second', 'left 0']);
  expect(sent).toHaveLength(1 + MAX_WAITING_REPORTS);
});

describe('reports that the receiver does not get', () => {
  test('because too many wait are the oldest; they are counted', () => {
    for (let i = 0; i < MAX_WAITING_REPORTS + 4; i++) destination.report(report(String(i)));
    // The first is being sent.
    expect(destination.takeDroppedCount()).toBe(3);
    expect(destination.takeDroppedCount()).toBe(0);
    pass(0, 'sent');
    expect(sent.slice(0, 2)).toEqual(['0', '4']);
  });

  test('because it has refused them are counted, and not sent again', () => {
    destination.report(report('a'));
    pass(0, 'refused');
    expect(sent).toEqual(['a']);
    expect(forgotten).toEqual(['a']);
    expect(destination.isIdle).toBe(false); // the count is to be remembered
    expect(destination.takeDroppedCount()).toBe(1);
    expect(destination.isIdle).toBe(true);
  });

  test('and which counted others, count them again', () => {
    destination.report(report('a', 7));
    pass(0, 'refused');
    expect(destination.takeDroppedCount()).toBe(8);
  });
});

test.each<[string, Outcome, number, number]>([
  ['is away for a moment', 'retry', 1, 0],
  ['stays away', 'retry', 60_000, 1],
  ['refuses', 'refused', 1, 1],
  ['accepts', 'sent', 60_000, 0],
])('a receiver that %s is reported at most once', (_, outcome, ms, times) => {
  for (const body of ['a', 'b', 'c']) destination.report(report(body));
  pass(ms, outcome);
  expect(toldOf).toBe(times);
});

test('a receiver that does not take the gauge alone is not reported: it may be one for traces', () => {
  for (let value = 0; value < 5; value++) {
    gauge('main', String(value));
    answer('refused');
  }
  expect(toldOf).toBe(0);
});
