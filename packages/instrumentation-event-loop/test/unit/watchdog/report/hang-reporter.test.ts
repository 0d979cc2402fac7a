import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { HangDestination, HangReport } from '../../../../src/contract/hang-report.js';
import type { Silence, StalledThread } from '../../../../src/contract/stalled-thread.js';
import { TRANSPORT } from '../../../../src/watchdog/report/destination.js';
import { HangReporter } from '../../../../src/watchdog/report/hang-reporter.js';
import { OtlpReceiver } from '../../support/otlp-receiver.js';

const RESOURCE = { 'service.name': 'checkout' };
const PARENT = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
const LINK = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16) };

let receiver: OtlpReceiver;
let undelivered: string[];
let reporter: HangReporter;
const timers: NodeJS.Timeout[] = [];

beforeEach(async () => {
  receiver = new OtlpReceiver();
  await receiver.listen();
  undelivered = [];
  reporter = new HangReporter((origin) => undelivered.push(origin), { ...TRANSPORT, setTimeout: setOwnTimeout });
});

afterEach(async () => {
  await untilIdle();
  for (const timer of timers) clearTimeout(timer); // otherwise the reporter would go on sending
  await receiver.close();
});

function setOwnTimeout(callback: () => void, ms: number): void {
  timers.push(setTimeout(callback, ms));
}

async function untilIdle(): Promise<void> {
  while (reporter.isBusy) await new Promise((resolve) => setTimeout(resolve, 5));
}

function hangReport(overrides: Partial<HangReport> = {}): HangReport {
  return {
    target: receiver.target(),
    resource: RESOURCE,
    parent: PARENT,
    links: [LINK],
    attributes: { 'code.function.name': 'createSpans' },
    ...overrides,
  };
}

function stalled(
  hangReports: readonly HangReport[] | undefined,
  overrides: Partial<StalledThread> = {},
): StalledThread {
  return {
    threadId: 3,
    threadName: 'pool',
    ageMs: 5000,
    hangReports: hangReports && JSON.stringify(hangReports),
    ...overrides,
  };
}

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  links: unknown[];
}

function sentSpans(of = receiver): SentSpan[] {
  return of.received
    .filter(({ path: at }) => at === '/v1/traces')
    .flatMap(({ body }) =>
      (JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] }).resourceSpans.flatMap(
        (resource) => resource.scopeSpans.flatMap(({ spans }) => spans),
      ),
    );
}

function attributesOf(span: SentSpan | undefined): Record<string, unknown> {
  return Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));
}

describe('a hang', () => {
  test('is a span under the one that blocks, as long as the block so far', async () => {
    const ids = Buffer.from(reporter.hang(stalled([hangReport()]))).toString('hex');
    await receiver.until(1);
    const [span] = sentSpans();
    expect(span).toMatchObject({ traceId: PARENT.traceId, parentSpanId: PARENT.spanId, links: [LINK] });
    expect(ids).toBe(`${span!.traceId}${span!.spanId}`);
    expect(Number(BigInt(span!.endTimeUnixNano) - BigInt(span!.startTimeUnixNano)) / 1e6).toBe(5000);
    expect(attributesOf(span)).toEqual({ 'code.function.name': 'createSpans' });
  });

  test('outside of any span is a trace of its own', async () => {
    reporter.hang(stalled([hangReport({ parent: undefined })]));
    await receiver.until(1);
    const [span] = sentSpans();
    expect(span).not.toHaveProperty('parentSpanId');
    expect(span?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(span?.traceId).not.toMatch(/^0+$/);
    expect(span?.spanId).toMatch(/^[0-9a-f]{16}$/);
  });

  test('with two reports is two spans of one trace', async () => {
    reporter.hang(stalled([hangReport()]));
    reporter.hang(stalled([hangReport()], { ageMs: 10_000 }));
    await receiver.until(2);
    const spans = sentSpans();
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(2);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  });

  test('is sent to every target', async () => {
    const other = new OtlpReceiver();
    await other.listen();
    reporter.hang(stalled([hangReport(), hangReport({ target: other.target() })]));
    await Promise.all([receiver.until(1), other.until(1)]);
    expect(sentSpans()[0]?.spanId).toBe(sentSpans(other)[0]?.spanId);
    await untilIdle();
    await other.close();
  });

  test('of a thread that never answered has no culprit, and the resource of the process', async () => {
    reporter.setHangDestinations([{ target: receiver.target(), resource: RESOURCE }]);
    reporter.hang(stalled(undefined));
    await receiver.until(1);
    const [span] = sentSpans();
    expect(span).not.toHaveProperty('parentSpanId');
    expect(attributesOf(span)).toEqual({
      'event_loop.blocked.cause': 'unknown',
      'event_loop.blocked.stack_quality': 'none',
      'thread.id': '3',
      'thread.name': 'pool',
    });
    expect(receiver.received[0]?.body).toContain('checkout');
  });

  test('of a thread that does not answer now has what the kernel shows, and the request of its last answer', async () => {
    const attributes = {
      'code.function.name': 'createSpans',
      'event_loop.blocked.cause': 'javascript',
      'event_loop.blocked.gc_time': 0.1,
      'event_loop.blocked.request': 'GET /runs',
    };
    const silence: Silence = {
      cause: 'waiting',
      cpuMs: 250,
      runQueueMs: undefined,
      answerAgeMs: 4000,
      childProcesses: ['pandoc (4711)'],
    };
    reporter.hang(stalled([hangReport({ attributes })], { silence }));
    await receiver.until(1);
    const [span] = sentSpans();
    expect(span).toMatchObject({ traceId: PARENT.traceId, parentSpanId: PARENT.spanId });
    expect(attributesOf(span)).toEqual({
      'event_loop.blocked.answer_age': '4',
      'event_loop.blocked.cause': 'waiting',
      'event_loop.blocked.child_processes': { values: [{ stringValue: 'pandoc (4711)' }] },
      'event_loop.blocked.cpu_time': 0.25,
      'event_loop.blocked.request': 'GET /runs',
      'event_loop.blocked.stack_quality': 'none',
      'thread.id': '3',
      'thread.name': 'pool',
    });
  });

  test('counts the reports before it that the receiver has refused', async () => {
    receiver.answers = [400, 400];
    for (let i = 0; i < 2; i++) {
      reporter.hang(stalled([hangReport()]));
      await receiver.until(i + 1);
      await untilIdle();
    }
    reporter.hang(stalled([hangReport()]));
    await receiver.until(3);
    const counts = sentSpans().map((span) => attributesOf(span)['event_loop.hang.dropped_count']);
    expect(counts).toEqual([undefined, '1', '2']);
  });

  test('and the gauge of one receiver come one after the other', async () => {
    receiver.answers = [0];
    const slow = receiver.target({ traces: receiver.endpoint('traces', { timeoutMs: 100 }) });
    reporter.hang(stalled([hangReport({ target: slow })]));
    reporter.stalled(stalled([hangReport({ target: slow })]));
    await receiver.until(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(receiver.received).toHaveLength(1);
    await receiver.until(3);
  });

  test('of a thread that never answered is not sent without a hang destination', () => {
    expect(reporter.hang(stalled(undefined))).toHaveLength(24);
    expect(reporter.isBusy).toBe(false);
  });
});

describe('invalid hang reports', () => {
  const good = (): HangReport => hangReport();
  const bad: [string, () => string][] = [
    ['no JSON', () => 'not json'],
    ['a number', () => '5'],
    ['null', () => 'null'],
    ['a list with null', () => '[null]'],
    ['a hang report without a target', () => JSON.stringify([{ ...good(), target: undefined }])],
    ['an endpoint without a URL', () => JSON.stringify([{ ...good(), target: { traces: {}, metrics: {} } }])],
    ['invalid links', () => JSON.stringify([{ ...good(), links: [{ traceId: 'x', spanId: 'y' }] }])],
    ['an invalid parent', () => JSON.stringify([{ ...good(), parent: { traceId: 5 } }])],
  ];

  test.each(bad)('a hang report that the probe did not write is not used: %s', async (_, describe) => {
    reporter.setHangDestinations([{ target: receiver.target(), resource: RESOURCE }]);
    reporter.hang(stalled(undefined, { hangReports: describe() }));
    reporter.stalled(stalled(undefined, { hangReports: describe() }));
    await receiver.until(2);
    expect(attributesOf(sentSpans()[0])).toMatchObject({
      'event_loop.blocked.stack_quality': 'none',
      'thread.id': '3',
    });
  });
});

describe('a thread that answers that this is no block', () => {
  const destinations = (): readonly [HangDestination] => [{ target: receiver.target(), resource: RESOURCE }];

  test('is not reported', () => {
    reporter.setHangDestinations(destinations());
    reporter.hang(stalled([]));
    reporter.stalled(stalled([]));
    expect(reporter.noticeOf(stalled([]))).toBeUndefined();
    expect(reporter.isBusy).toBe(false);
  });

  test('is reported once it does not answer any more', async () => {
    const silence = { cause: 'native', cpuMs: 900, runQueueMs: 0, answerAgeMs: 1000, childProcesses: [] } as const;
    reporter.setHangDestinations(destinations());
    reporter.hang(stalled([], { silence }));
    expect(reporter.noticeOf(stalled([], { silence }))?.attributes).toMatchObject({
      'event_loop.blocked.cause': 'native',
    });
    await receiver.until(1);
    expect(attributesOf(sentSpans()[0])).toMatchObject({ 'event_loop.blocked.cause': 'native' });
  });
});

describe('the notice of a hang', () => {
  test('is that of the first report, also where none is sent', () => {
    const { parent, attributes } = hangReport();
    expect(reporter.noticeOf(stalled([hangReport({ target: null })]))).toEqual({
      startEpochMs: expect.any(Number),
      durationMs: 5000,
      parent,
      attributes,
    });
    reporter.hang(stalled([hangReport({ target: null })]));
    expect(reporter.isBusy).toBe(false);
  });

  test('names the thread where it has not answered', () => {
    expect(reporter.noticeOf(stalled(undefined))).toMatchObject({
      parent: undefined,
      attributes: { 'thread.id': 3, 'thread.name': 'pool', 'event_loop.blocked.stack_quality': 'none' },
    });
  });
});

test('a step of the wall clock between two reports changes the duration of neither', async () => {
  const realNow = Date.now();
  const clock = jest.spyOn(Date, 'now');
  try {
    clock.mockReturnValue(realNow);
    reporter.hang(stalled([hangReport()]));
    clock.mockReturnValue(realNow - 3_600_000);
    reporter.hang(stalled([hangReport()], { ageMs: 10_000 }));
  } finally {
    clock.mockRestore();
  }
  await receiver.until(2);
  const durationsMs = sentSpans().map(
    ({ startTimeUnixNano, endTimeUnixNano }) => Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6,
  );
  expect(durationsMs.sort((a, b) => a - b)).toEqual([5000, 10_000]);
});

describe('a stall', () => {
  test('is a gauge in seconds, by thread', async () => {
    reporter.stalled(stalled([hangReport()], { ageMs: 3500 }));
    await receiver.until(1);
    const { path: at, body } = receiver.received[0]!;
    expect(at).toBe('/v1/metrics');
    expect(body).toContain('"name":"event_loop.stalled"');
    expect(body).toContain('"asDouble":3.5');
    expect(body).toContain('{"key":"thread.name","value":{"stringValue":"pool"}}');
  });

  test('that has ended is 0', async () => {
    reporter.stalled(stalled([hangReport()], { ageMs: 0 }));
    await receiver.until(1);
    expect(receiver.received[0]?.body).toContain('"asDouble":0');
  });

  test('whose gauge cannot be delivered is not sent again: the next value follows', async () => {
    receiver.answers = [503];
    reporter.stalled(stalled([hangReport()]));
    await receiver.until(1);
    await untilIdle();
    expect(receiver.received).toHaveLength(1);
  });
});

describe('on disk', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-hang-'));
  });

  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  async function emptied(): Promise<void> {
    while (readdirSync(directory).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  test('a report is kept until it has been delivered', async () => {
    reporter.hang(stalled([hangReport({ target: receiver.target({ spoolDirectory: directory }) })]));
    expect(readdirSync(directory)).toHaveLength(1);
    await emptied();
    expect(sentSpans()).toHaveLength(1);
  });

  test('a report that was refused is deleted, too: the receiver would refuse it again', async () => {
    receiver.answers = [400];
    reporter.hang(stalled([hangReport({ target: receiver.target({ spoolDirectory: directory }) })]));
    await emptied();
    expect(receiver.received).toHaveLength(1);
    expect(undelivered).toEqual([new URL(receiver.target().traces.url).origin]);
  });

  test('a report of a process that was killed is sent by the next process, once', async () => {
    writeFileSync(path.join(directory, `${2 ** 30}-1-aaaa.loopwatch-hang.json`), '{"resourceSpans":[]}');
    const hangDestination = { target: receiver.target({ spoolDirectory: directory }), resource: RESOURCE };
    reporter.setHangDestinations([hangDestination]);
    reporter.setHangDestinations([hangDestination]);
    await emptied();
    expect(receiver.received.map(({ body }) => body)).toEqual(['{"resourceSpans":[]}']);
  });

  test('it is sent to the receiver that an SDK names which starts after the watchdog', async () => {
    writeFileSync(path.join(directory, `${2 ** 30}-1-aaaa.loopwatch-hang.json`), '{"resourceSpans":[]}');
    const target = receiver.target({ spoolDirectory: directory });
    const traces = { ...target.traces, url: 'http://127.0.0.1:1/v1/traces' }; // nothing listens there
    reporter.setHangDestinations([{ target: { ...target, traces }, resource: RESOURCE }]);
    reporter.setHangDestinations([{ target, resource: RESOURCE }]);
    await emptied();
    expect(receiver.received.map(({ body }) => body)).toEqual(['{"resourceSpans":[]}']);
  });
});

test('a report that the receiver is too busy for is delivered later', async () => {
  receiver.answers = [503];
  reporter.hang(stalled([hangReport()]));
  await receiver.until(2);
  const [first, second] = sentSpans();
  expect(second).toEqual(first);
});

describe('with a file instead of a receiver', () => {
  let directory: string;
  let file: string;
  let target: HangReport['target'];
  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-file-'));
    file = path.join(directory, 'records.jsonl');
    writeFileSync(file, '');
    const endpoint = { ...receiver.endpoint('traces'), url: pathToFileURL(file).href, headers: { process: '7' } };
    target = { traces: endpoint, metrics: endpoint, spoolDirectory: undefined };
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  const lines = (): { headers: unknown; body: Record<string, unknown> }[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { headers: unknown; body: Record<string, unknown> });

  test('the block and its length so far are there at once, with the headers', () => {
    reporter.blockSoFar(stalled([hangReport({ target })], { ageMs: 100 }));
    reporter.lengthSoFar(stalled([hangReport({ target })], { ageMs: 200 }));
    expect(reporter.isBusy).toBe(false);
    expect(lines()).toMatchObject([
      { headers: { process: '7' }, body: { resourceSpans: [{}] } },
      { headers: { process: '7' }, body: { resourceMetrics: [{}] } },
    ]);
  });

  test('the end of the thread is a data point without a value', () => {
    reporter.ended(stalled([hangReport({ target })], { ageMs: 0 }));
    const metrics = [{ name: 'event_loop.stalled', gauge: { dataPoints: [{ flags: 1 }] } }];
    expect(lines()).toMatchObject([{ body: { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] } }]);
    expect(JSON.stringify(lines())).not.toContain('asDouble');
  });

  test('hangs and the gauge go to receivers only, and blocks so far to files only', async () => {
    const both = [hangReport({ target }), hangReport()];
    reporter.hang(stalled(both));
    reporter.stalled(stalled(both));
    expect(lines()).toEqual([]);
    await untilIdle();
    reporter.blockSoFar(stalled(both));
    await untilIdle();
    expect(lines()).toHaveLength(1);
    expect(receiver.received.map(({ path: at }) => at)).toEqual(['/v1/traces', '/v1/metrics']);
  });

  test('one that has been deleted is not created again', () => {
    rmSync(file);
    reporter.blockSoFar(stalled([hangReport({ target })]));
    expect(readdirSync(directory)).toEqual([]);
    expect(reporter.isBusy).toBe(false);
  });
});
