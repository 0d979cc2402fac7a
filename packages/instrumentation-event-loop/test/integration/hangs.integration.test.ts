import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';
import { combinationPerMajor, describeCombination, epochMs } from '@loopwatch/test-support';
import type { Combination, RunResult } from '@loopwatch/test-support';

import {
  ATTR_BLOCKED_CAUSE,
  ATTR_BLOCKED_STACK_QUALITY,
  ATTR_CODE_FUNCTION_NAME,
  ATTR_THREAD_ID,
  ATTR_THREAD_NAME,
  METRIC_EVENT_LOOP_STALLED,
  SPAN_EVENT_LOOP_HANG,
} from '../../src/semconv.ts';
import { makeCertificates } from './certificates.ts';
import { HangReceiver } from './hang-receiver.ts';
import { expectCleanExit, spansOfBlocks } from './support.ts';
import type { FixtureOptions } from './support.ts';
import { inAllThreads, node20, node24, runOnce, workerName } from './thread-support.ts';

const hangThresholdMs = 600;
/** Reported at 0.6, 1.2 and 2.4 s. */
const longHang = { way: 'javascript', ms: 3000 };
/** Reported once, and over before the gauge of stalled threads begins. */
const shortHang = { way: 'javascript', ms: 900 };

interface Hang {
  readonly way: string;
  readonly ms?: number;
}

/** Runs a program that hangs, with the environment that an exporter would be given. */
function runHang(
  combination: Combination,
  { way, ms = 0 }: Hang,
  env: Readonly<Record<string, string>>,
  options: FixtureOptions = {},
): Promise<RunResult> {
  return runOnce(combination, 'hang-program.cjs', {
    args: [way, String(ms)],
    telemetry: { instrumentation: { hangThresholdMs } },
    env,
    ...options,
  });
}

/** Kills the program when the receiver has what the test waits for: the program cannot end by itself. */
function killedWhen(receiver: HangReceiver, condition: () => boolean): FixtureOptions {
  return {
    onStart: (child: ChildProcess) => {
      void receiver.until(condition).then(() => child.kill('SIGKILL'));
    },
  };
}

function expectKilled({ exitCode, signal }: RunResult): void {
  expect({ exitCode, signal }).toEqual({ exitCode: null, signal: 'SIGKILL' });
}

const perMajor = combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const);

describe('A thread that hangs and recovers', () => {
  test.each(perMajor)(
    '%s: is reported meanwhile at doubling ages, and its block refers to that',
    async (_label, on) => {
      await using receiver = await HangReceiver.start();
      const result = await runHang(on, longHang, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
      expectCleanExit(result);

      const [block, ...others] = spansOfBlocks(result);
      expect(others).toEqual([]);
      const ages = receiver.hangs.map(({ durationMs }) => durationMs);
      expect(ages).toEqual([...ages].sort((a, b) => a - b));
      // Each age is one of its own doubling; a starved watchdog may miss one and never adds one.
      const doublings = ages.map((age) => Math.floor(Math.log2(age / hangThresholdMs)));
      expect([
        [0, 1, 2],
        [0, 1],
        [0, 2],
        [1, 2],
      ]).toContainEqual(doublings);

      for (const hang of receiver.hangs) {
        expect(hang).toMatchObject({ name: SPAN_EVENT_LOOP_HANG, ...under(result), resource: block?.resource });
        expect(hang.attributes).toMatchObject({
          [ATTR_CODE_FUNCTION_NAME]: 'computeForecast',
          [ATTR_BLOCKED_STACK_QUALITY]: 'live',
          [ATTR_THREAD_ID]: 0,
          [ATTR_THREAD_NAME]: 'main',
        });
        const startsLateMs = hang.startEpochMs - epochMs(block!.startTime);
        expect(Math.abs(startsLateMs) / longHang.ms).toBeLessThan(0.05);
      }
      expect(block).toMatchObject(under(result));
      expect(block?.attributes[ATTR_CODE_FUNCTION_NAME]).toBe('computeForecast');
      expect(block?.links.map(({ spanId }) => spanId)).toEqual([receiver.hangs.at(-1)?.spanId]);

      expect(new Set(receiver.gauges.map(({ name }) => name))).toEqual(new Set([METRIC_EVENT_LOOP_STALLED]));
      const stalledSeconds = receiver.gauges.map(({ value }) => value);
      expect(stalledSeconds[0]).toBeGreaterThanOrEqual(1);
      expect(stalledSeconds).toEqual([...stalledSeconds.slice(0, -1).sort((a, b) => a - b), 0]);
      for (const { attributes, resource } of receiver.gauges) {
        expect(attributes).toEqual({ [ATTR_THREAD_ID]: 0, [ATTR_THREAD_NAME]: 'main' });
        expect(resource).toEqual(block?.resource);
      }
    },
  );

  test.each([node20, node24].map((on) => [describeCombination(on), on] as const))(
    '%s: is told by its own id and name when it is a worker',
    async (_label, on) => {
      await using receiver = await HangReceiver.start();
      const result = await runHang(
        on,
        longHang,
        { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
        {
          ...(await inAllThreads(on)),
          args: [longHang.way, String(longHang.ms), 'in-worker'],
        },
      );
      expectCleanExit(result);
      const [block] = spansOfBlocks(result);
      expect(block?.attributes[ATTR_THREAD_ID]).toBe(result.truths[0]?.threadId);
      const thread = {
        [ATTR_THREAD_ID]: result.truths[0]?.threadId,
        [ATTR_THREAD_NAME]: workerName(on, 'forecaster'),
      };
      const hangs = receiver.hangs.filter(({ attributes }) => attributes[ATTR_THREAD_ID] !== 0);
      expect(hangs.length).toBeGreaterThan(0);
      for (const hang of hangs) {
        expect(hang).toMatchObject(under(result));
        expect(hang.attributes).toMatchObject({ ...thread, [ATTR_CODE_FUNCTION_NAME]: 'computeForecast' });
      }
      expect(block?.links.map(({ spanId }) => spanId)).toEqual([hangs.at(-1)?.spanId]);
      const gauges = receiver.gauges.filter(({ attributes }) => attributes[ATTR_THREAD_ID] !== 0);
      expect(gauges[0]?.attributes).toEqual(thread);
      expect(gauges.at(-1)?.value).toBe(0);
    },
  );
});

describe('A thread that never recovers is reported before SIGKILL ends it, when it hangs in', () => {
  const interruptible = [
    ['an endless microtask queue', 'microtasks', 'drainQueueForever', node24],
    ['an endless microtask queue', 'microtasks', 'drainQueueForever', node20],
    ['a regular expression that backtracks', 'regex', 'validateComment', node24],
  ] as const;

  test.each(interruptible.map(([label, ...rest]) => [label, describeCombination(rest[2]), ...rest] as const))(
    '%s (%s)',
    async (_label, __combination, way, culprit, on) => {
      await using receiver = await HangReceiver.start();
      const result = await runHang(
        on,
        { way },
        { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
        killedWhen(receiver, () => receiver.hangs.length > 1 && receiver.gauges.length > 0),
      );
      expectKilled(result);
      for (const hang of receiver.hangs) {
        expect(hang).toMatchObject(under(result));
        expect(hang.attributes[ATTR_CODE_FUNCTION_NAME]).toBe(culprit);
      }
      expect(receiver.gauges[0]?.value).toBeGreaterThanOrEqual(1);
    },
  );

  const uninterruptible = [
    ['an endless native call', 'native', node24],
    ['an endless native call', 'native', node20],
    ['an endless execSync', 'execSync', node24],
  ] as const;

  test.each(uninterruptible.map(([label, ...rest]) => [label, describeCombination(rest[1]), ...rest] as const))(
    '%s, with nobody named (%s)',
    async (_label, __combination, way, on) => {
      await using receiver = await HangReceiver.start();
      const result = await runHang(
        on,
        { way },
        { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
        killedWhen(receiver, () => receiver.hangs.length > 1 && receiver.gauges.length > 0),
      );
      expectKilled(result);
      for (const { parentSpanId, attributes } of receiver.hangs) {
        expect(parentSpanId).toBeUndefined();
        expect(attributes).toEqual({
          [ATTR_BLOCKED_CAUSE]: 'unknown',
          [ATTR_BLOCKED_STACK_QUALITY]: 'none',
          [ATTR_THREAD_ID]: 0,
          [ATTR_THREAD_NAME]: 'main',
        });
      }
      expect(receiver.hangs[0]?.resource['service.name']).toMatch(/^unknown_service/);
    },
  );
});

describe('A report goes where the environment says:', () => {
  test('to the endpoints of each signal, with their headers', async () => {
    await using receiver = await HangReceiver.start();
    const result = await runHang(node24, longHang, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/base/`,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/own/spans`,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a%2Cb, x-tenant = checkout',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-tenant=payment',
    });
    expectCleanExit(result);
    const of = (signal: string): unknown[] =>
      receiver.requests
        .filter(({ text }) => text.includes(signal))
        .map(({ path: at, headers }) => [at, headers.authorization, headers['x-tenant'], headers['content-type']]);
    const spans = of('resourceSpans');
    const metrics = of('resourceMetrics');
    expect(spans.length).toBeGreaterThan(0);
    expect(metrics.length).toBeGreaterThan(0);
    const unique = (rows: unknown[]): unknown[] => [...new Set(rows.map((row) => JSON.stringify(row)))].map(parse);
    expect(unique(spans)).toEqual([['/own/spans', 'Bearer a,b', 'payment', 'application/json']]);
    expect(unique(metrics)).toEqual([['/base/v1/metrics', 'Bearer a,b', 'checkout', 'application/json']]);
  });

  test('and to the option hangExporter before that', async () => {
    await using receiver = await HangReceiver.start();
    await using unused = await HangReceiver.start();
    const hangExporter = { url: receiver.url, headers: { 'x-tenant': 'option' } };
    const result = await runHang(
      node24,
      shortHang,
      { OTEL_EXPORTER_OTLP_ENDPOINT: unused.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=environment' },
      { telemetry: { instrumentation: { hangThresholdMs, hangExporter } } },
    );
    expectCleanExit(result);
    expect(receiver.hangs).toHaveLength(1);
    expect(receiver.requests[0]?.headers['x-tenant']).toBe('option');
    expect(unused.requests).toEqual([]);
  });

  test('over TLS, by the authority, the key and the certificate that it names', async () => {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'loopwatch-tls-'));
    try {
      const { authority, server, files } = await makeCertificates(directory, 'hanging service');
      const tls = { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: true };
      await using receiver = await HangReceiver.start(tls);
      const env = {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_CERTIFICATE: files.authority,
        OTEL_EXPORTER_OTLP_CLIENT_KEY: files.clientKey,
        OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: files.clientCertificate,
      };
      expectCleanExit(await runHang(node24, shortHang, env));
      expect(receiver.hangs).toHaveLength(1);
      expect(receiver.requests[0]?.client).toBe('hanging service');

      const { OTEL_EXPORTER_OTLP_CERTIFICATE: _authority, ...withoutAuthority } = env;
      expectCleanExit(await runHang(node24, shortHang, withoutAuthority));
      expect(receiver.hangs).toHaveLength(1);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  const silent = [
    ['OTEL_TRACES_EXPORTER=none', { OTEL_TRACES_EXPORTER: 'none' }, { hangThresholdMs }],
    ['hangThresholdMs: 0', {}, { hangThresholdMs: 0 }],
  ] as const;
  test.each(silent)('to nobody with %s', async (_label, env, instrumentation) => {
    await using receiver = await HangReceiver.start();
    const result = await runHang(
      node24,
      longHang,
      { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...env },
      { telemetry: { instrumentation } },
    );
    expectCleanExit(result);
    expect(receiver.requests).toEqual([]);
    expect(spansOfBlocks(result)).toHaveLength(1);
  });
});

describe('A report that', () => {
  /** An endless hang, killed when that many trace requests have come. */
  function runUntil(receiver: HangReceiver, requests: number, env: Record<string, string> = {}): Promise<RunResult> {
    const traces = (): number => receiver.requests.filter(({ path: at }) => at === '/v1/traces').length;
    return runHang(
      node24,
      { way: 'regex' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...env },
      killedWhen(receiver, () => traces() >= requests),
    );
  }

  function timesSent(receiver: HangReceiver): number {
    const spanId = receiver.hangs[0]!.spanId;
    return receiver.hangs.filter((hang) => hang.spanId === spanId).length;
  }

  test('was answered 503 is sent again', async () => {
    await using receiver = await HangReceiver.start();
    receiver.answers.push(503);
    // Hangs at 0.6, 1.2, 2.4 and 4.8 s; the second try of the first comes among them.
    expectKilled(await runUntil(receiver, 5));
    expect(timesSent(receiver)).toBe(2);
  });

  test('was not answered in time is sent again', async () => {
    await using receiver = await HangReceiver.start();
    receiver.answers.push('silence');
    expectKilled(await runUntil(receiver, 5, { OTEL_EXPORTER_OTLP_TIMEOUT: '200' }));
    expect(timesSent(receiver)).toBe(2);
  });

  test('was answered 400 is not sent again', async () => {
    await using receiver = await HangReceiver.start();
    receiver.answers.push(400);
    // The fourth comes at 4.8 s, long after a second try would have.
    expectKilled(await runUntil(receiver, 4));
    expect(timesSent(receiver)).toBe(1);
    expect(new Set(receiver.hangs.map(({ spanId }) => spanId)).size).toBe(4);
  });

  test('nobody takes keeps no program from its end', async () => {
    const closed = await closedUrl();
    const result = await runHang(node24, shortHang, { OTEL_EXPORTER_OTLP_ENDPOINT: closed });
    expectCleanExit(result);
    expect(result.stderr).toBe('');
    expect(spansOfBlocks(result)).toHaveLength(1);
  });
});

/** A URL at which nobody listens. */
async function closedUrl(): Promise<string> {
  await using receiver = await HangReceiver.start();
  return receiver.url;
}

/** Trace and parent that everything of the fixture's block has. */
function under(result: RunResult): { readonly traceId: string; readonly parentSpanId: string } {
  const { traceId, spanId } = result.notes.get('request') as { readonly traceId: string; readonly spanId: string };
  return { traceId, parentSpanId: spanId };
}

function parse(text: string): unknown {
  return JSON.parse(text);
}
