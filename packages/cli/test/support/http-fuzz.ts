import { readFileSync } from 'node:fs';

import { expect } from '@jest/globals';
import fc from 'fast-check';

import { type RunningCli, startCli } from './cli.js';
import { postScenario } from './live-page.js';
import { rawRequest, statusOf } from './raw-request.js';

/** Requests of every kind to `loopwatch serve`, as the bytes of HTTP/1.1. */

export interface FuzzedRequest {
  readonly bytes: Buffer;
  /** It is a whole request in the right form: it has to be answered. */
  readonly isWhole: boolean;
}

export interface FuzzResult {
  readonly requests: number;
  /** How often each status was answered; `none` where the connection ended. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly plainMs: readonly number[];
  readonly fuzzedMs: readonly number[];
}

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'PATCH',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'M-SEARCH',
];
const PATHS = [
  ...['/', '/index.html', '/api/state', '/api/flame', '/api/culprit', '/api/block', '/api/trace', '/api/events'],
  ...['/debug/pprof/blocked', '/v1/traces', '/v1/metrics', '/v1/logs'],
];
const FIELDS = ['id', 'service', 'instance', 'cause', 'culprit', 'text', 'fromMs', 'toMs', 'seconds', 'token'];
const PIECES = [
  ...['/', '//', '\\', '[', ']', '@', ':', '?', '#', '&', '=', '%', '%00', '%ff', '%2e%2e', '..', ';', '*', '$'],
  ...[
    'http://',
    'https://',
    'file://',
    'localhost',
    '[::1]',
    '0',
    '-1',
    '1e309',
    '9007199254740993',
    'NaN',
    '__proto__',
  ],
  ...['constructor', 'toString', "'", '"', '<script>', '\xff', '\xc3\x28', 'a'.repeat(2_000)],
];

const garbage = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'grapheme-ascii', maxLength: 8 })), {
    maxLength: 6,
  })
  .map((pieces) => pieces.join(''));
/** Without what would end the line. */
const inLine = garbage.map((text) => text.replace(/[^\x21-\x7e\x80-\xff]/g, ''));

const query = fc
  .array(fc.tuple(fc.constantFrom(...FIELDS), inLine), { maxLength: 4 })
  .map((fields) => (fields.length === 0 ? '' : `?${fields.map(([name, value]) => `${name}=${value}`).join('&')}`));
const target = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...PATHS), query).map(([path, rest]) => path + rest) },
  { weight: 3, arbitrary: inLine.map((text) => `/${text}`) },
  { weight: 1, arbitrary: inLine.map((text) => `http://${text}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('*', '//', '/\\', '//[', '//@:0/', `/${'a'.repeat(8_000)}`, `//${'['.repeat(8_000)}`),
  },
);

const value = fc.oneof(inLine, fc.constantFrom('localhost', '127.0.0.1', 'null', '0', '-1', '1e9', 'gzip', 'identity'));
const headers = fc.array(
  fc.tuple(
    fc.constantFrom(
      ...['Origin', 'Cookie', 'Authorization', 'Content-Type', 'Content-Encoding', 'Accept', 'Range', 'If-None-Match'],
      ...['Sec-Fetch-Site', 'Sec-Fetch-Mode', 'Sec-Fetch-Dest', 'Referer', 'Connection', 'X-Forwarded-For', 'Host'],
    ),
    value,
  ),
  { maxLength: 5 },
);
const body = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  garbage.map((text) => Buffer.from(text, 'latin1')),
);
const type = fc.constantFrom(
  'application/json',
  'application/x-protobuf',
  'text/plain',
  'application/json; charset=x',
  '',
);

/** In the form of the standard, whatever it asks for. */
const whole = fc
  .record({ method: fc.constantFrom(...METHODS), target, headers, body, type })
  .map((request): FuzzedRequest => {
    const { method } = request;
    const host = request.headers.some(([name]) => name === 'Host') ? [] : [['Host', 'localhost']];
    const fields = [...host, ['Content-Type', request.type], ['Content-Length', String(request.body.length)]];
    return {
      bytes: bytesOf(`${method} ${request.target} HTTP/1.1`, [...fields, ...request.headers], request.body),
      // No answer to CONNECT is in the form of the others.
      isWhole: method !== 'CONNECT',
    };
  });

/** In no form at all, or with the wrong lengths; also several in one connection. */
const broken = fc
  .oneof(
    fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
    fc
      .record({
        method: fc.oneof(fc.constantFrom(...METHODS), inLine),
        target: garbage,
        version: fc.oneof(fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', ''), inLine),
        headers: fc.array(
          fc.tuple(
            fc.oneof(
              fc.constantFrom(
                'Content-Length',
                'Transfer-Encoding',
                'Expect',
                'Upgrade',
                'Connection',
                'Host',
                'Trailer',
              ),
              inLine,
            ),
            fc.oneof(
              garbage,
              fc.constantFrom('chunked', 'chunked, gzip', '99999999999', '100-continue', 'websocket', 'Upgrade'),
            ),
          ),
          { maxLength: 5 },
        ),
        body,
      })
      .map((request) =>
        bytesOf(`${request.method} ${request.target} ${request.version}`, request.headers, request.body),
      ),
    fc.tuple(whole, whole, fc.nat({ max: 100 })).map(([one, two, cut]) => {
      const both = Buffer.concat([one.bytes, two.bytes]);
      return both.subarray(0, Math.max(1, both.length - cut));
    }),
  )
  .map((bytes): FuzzedRequest => ({ bytes, isWhole: false }));

export const anyRequest: fc.Arbitrary<FuzzedRequest> = fc.oneof({ weight: 3, arbitrary: whole }, broken);

function bytesOf(line: string, fields: readonly (readonly string[])[], content: Uint8Array): Buffer {
  const head = [line, ...fields.map(([name, text]) => `${name}: ${text}`)].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), content]);
}

/** No other status of an error of the server is documented. */
const DOCUMENTED_SERVER_ERRORS = ['503'];
/** Without the bodies of the OTLP requests, whose store has its own limits. */
const MAX_RSS_BYTES = 512 * 1024 * 1024;
/** At the median, a request of this kind may take so many times longer than one for all that the page shows. */
const MAX_RATIO = 5;
/** A broken request can leave the server waiting for the rest of it. */
const PATIENCE_MS = 100;

/** Sends requests to two servers, one on loopback and one with a token, and checks that both go on. */
export async function fuzzHttp(limits: {
  readonly requests: number;
  readonly timeLimitMs: number;
}): Promise<FuzzResult> {
  const servers = [await startServer(), await startServer('--host', '0.0.0.0')];
  const statuses: Record<string, number> = {};
  const plainMs: number[] = [];
  const fuzzedMs: number[] = [];
  try {
    await fc.assert(
      fc.asyncProperty(anyRequest, async (request) => {
        for (const server of servers) {
          const answer = timed(() => rawRequest(server.port, request.bytes, request.isWhole ? undefined : PATIENCE_MS));
          const plain = timed(() => rawRequest(server.port, server.plain));
          const [[text, ms], [plainText, plainTime]] = [await answer, await plain];
          const status = String(statusOf(text) ?? 'none');
          statuses[status] = (statuses[status] ?? 0) + 1;
          if (request.isWhole) fuzzedMs.push(ms);
          plainMs.push(plainTime);
          expect(server.running.child.exitCode).toBeNull();
          expect(statusOf(plainText)).toBe(200);
          if (request.isWhole) expect(status).not.toBe('none');
          if (status.startsWith('5')) expect(DOCUMENTED_SERVER_ERRORS).toContain(status);
        }
      }),
      { numRuns: limits.requests, interruptAfterTimeLimit: limits.timeLimitMs, endOnFailure: true },
    );
    for (const { running } of servers) expect(rssBytes(running)).toBeLessThan(MAX_RSS_BYTES);
    expect(median(fuzzedMs) / median(plainMs)).toBeLessThan(MAX_RATIO);
  } finally {
    for (const { running } of servers) {
      running.child.kill('SIGKILL');
      await running.result;
    }
  }
  return { requests: plainMs.length, statuses, plainMs, fuzzedMs };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

interface FuzzedServer {
  readonly running: RunningCli;
  readonly port: number;
  /** The request that others are compared with. */
  readonly plain: string;
}

async function startServer(...args: string[]): Promise<FuzzedServer> {
  const running = startCli(['serve', '--port', '0', ...args], { lifetimeMs: 3_600_000 });
  const [, port] = await running.waitFor(/listens on http:\/\/[\d.]+:(\d+)/);
  const [, token = ''] = args.length > 0 ? await running.waitFor(/token=(\S+)/) : [];
  await postScenario(`http://127.0.0.1:${port}`);
  const plain = `GET /api/state HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  return { running, port: Number(port), plain };
}

async function timed<T>(act: () => Promise<T>): Promise<[result: T, ms: number]> {
  const start = performance.now();
  const result = await act();
  return [result, performance.now() - start];
}

/** 0 where there is no /proc. */
function rssBytes({ child }: RunningCli): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    return 0;
  }
}
