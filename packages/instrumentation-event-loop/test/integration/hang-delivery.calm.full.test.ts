import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';
import type { RunResult } from '@loopwatch/test-support';

import { makeCertificates } from './certificates.ts';
import { HangReceiver } from './hang-receiver.ts';
import { expectKilled, hangThresholdMs, killedWhen, longHang, runHang, shortHang } from './hang-support.ts';
import { expectCleanExit, runFixture, spansOfBlocks } from './support.ts';
import { node20, node24, node26 } from './thread-support.ts';

describe('A hang report is sent', () => {
  test.concurrent('to the endpoint and with the headers that the environment sets for each signal', async () => {
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

  test.concurrent('to the option hangExporter when the environment sets an endpoint as well', async () => {
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

  test.concurrent('over TLS, with the authority, key and certificate that the environment names', async () => {
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
  test.concurrent.each(silent)('nowhere with %s', async (_label, env, instrumentation) => {
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

describe('A hang report that', () => {
  /** Runs an endless hang and kills it after that many trace requests. */
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

  test.concurrent('is answered with 503 is sent again', async () => {
    await using receiver = await HangReceiver.start();
    receiver.answers.push(503);
    // Reports are sent at 0.6, 1.2, 2.4 and 4.8 s; the retry of the first comes between them.
    expectKilled(await runUntil(receiver, 5));
    expect(timesSent(receiver)).toBe(2);
  });

  test.concurrent('is not answered in time is sent again', async () => {
    await using receiver = await HangReceiver.start();
    receiver.answers.push('silence');
    expectKilled(await runUntil(receiver, 5, { OTEL_EXPORTER_OTLP_TIMEOUT: '200' }));
    expect(timesSent(receiver)).toBe(2);
  });

  test.concurrent('is answered with 400 is not sent again', async () => {
    await using receiver = await HangReceiver.start();
    receiver.answers.push(400);
    // The fourth report is sent at 4.8 s, long after a retry would have been.
    expectKilled(await runUntil(receiver, 4));
    expect(timesSent(receiver)).toBe(1);
    expect(new Set(receiver.hangs.map(({ spanId }) => spanId)).size).toBe(4);
  });

  test.concurrent('no receiver accepts does not keep the program from ending', async () => {
    const closed = await closedUrl();
    const result = await runHang(node24, shortHang, { OTEL_EXPORTER_OTLP_ENDPOINT: closed });
    expectCleanExit(result);
    expect(result.stderr).toBe('');
    expect(spansOfBlocks(result)).toHaveLength(1);
  });
});

test.concurrent.each([node20, node26])(
  'Node $nodeMajor: the load of the SDK by /register is no hang, however long it takes',
  async (combination) => {
    await using receiver = await HangReceiver.start();
    const result = await runFixture(combination, 'quiet-idle.cjs', {
      preload: 'none',
      flags: ['--jitless', '--require', '@loopwatch/instrumentation-event-loop/register'],
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        LOOPWATCH_HANG_THRESHOLD_MS: '101',
        NODE_DISABLE_COMPILE_CACHE: '1',
      },
    });
    expectCleanExit(result);
    // The SDK exports what the process lives for, and the watchdog nothing.
    expect(receiver.requests.map(({ path: at }) => at)).toContain('/v1/metrics');
    expect(receiver.hangs).toEqual([]);
  },
);

/** A URL on which nothing listens. */
async function closedUrl(): Promise<string> {
  await using receiver = await HangReceiver.start();
  return receiver.url;
}

function parse(text: string): unknown {
  return JSON.parse(text);
}
