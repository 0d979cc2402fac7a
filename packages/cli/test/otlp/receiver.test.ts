import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';

import { afterEach, describe, expect, test } from '@jest/globals';

import type { SpanGroup } from '../../src/cli/otlp/decoded.js';
import { createOtlpRoutes } from '../../src/cli/otlp/routes.js';
import { type RunningServer, startServer } from '../../src/cli/http/server.js';
import { tracesBody } from '../support/otlp.js';

let server: RunningServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const BODY = JSON.stringify(
  tracesBody({ 'service.name': 'api' }, [
    { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'one', startMs: 1_000, endMs: 2_000 },
  ]),
);

async function start(requestTimeoutMs?: number): Promise<{ url: string; names: () => string[] }> {
  const groups: SpanGroup[] = [];
  server = await startServer({
    address: '127.0.0.1',
    port: 0,
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
    handlers: [
      createOtlpRoutes({
        onSpans: (received) => {
          groups.push(...received);
        },
        onMetrics: () => undefined,
      }),
    ],
  });
  return { url: server.url, names: () => groups.flatMap(({ spans }) => spans.map(({ name }) => name)) };
}

function post(url: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
}

describe('the receiver', () => {
  test.each([
    ['plain', BODY, {}],
    ['gzip', gzipSync(BODY), { 'content-encoding': 'gzip' }],
    ['deflate', deflateSync(BODY), { 'content-encoding': 'deflate' }],
    ['with a charset', BODY, { 'content-type': 'application/json; charset=utf-8' }],
  ])('accepts a %s body', async (_how, body, headers) => {
    const { url, names } = await start();
    const response = await post(url, body, headers);
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'application/json',
      '{}',
    ]);
    expect(names()).toEqual(['one']);
  });

  test('answers protobuf with protobuf, also for errors', async () => {
    const { url } = await start();
    const headers = { 'content-type': 'application/x-protobuf' };
    const good = await post(url, Buffer.alloc(0), headers);
    expect([good.status, good.headers.get('content-type'), await good.text()]).toEqual([
      200,
      'application/x-protobuf',
      '',
    ]);
    const bad = await post(url, Buffer.from([0x0a, 0xff]), headers);
    const status = Buffer.from(await bad.arrayBuffer());
    expect([bad.status, bad.headers.get('content-type')]).toEqual([400, 'application/x-protobuf']);
    // google.rpc.Status: field 2, text.
    expect([status[0], status.subarray(2).toString()]).toEqual([
      0x12,
      expect.stringContaining('Expected OTLP as protobuf'),
    ]);
  });

  test.each([
    ['invalid JSON', 400, '{', {}],
    ['JSON that is not OTLP', 400, '{"resourceSpans":7}', {}],
    ['deeply nested values', 400, `{"resourceSpans":${'[{"scopeSpans":'.repeat(20_000)}`, {}],
    ['a body that is not gzip', 400, BODY, { 'content-encoding': 'gzip' }],
    ['truncated gzip', 400, gzipSync(BODY).subarray(0, 40), { 'content-encoding': 'gzip' }],
    ['an unknown encoding', 415, BODY, { 'content-encoding': 'br' }],
    ['an unknown type', 415, BODY, { 'content-type': 'text/plain' }],
  ])('refuses %s with %d', async (_what, status, body, headers) => {
    const { url, names } = await start();
    const response = await post(url, body, headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ message: expect.any(String) });
    expect(names()).toEqual([]);
  });

  test('refuses a body that is too large, by its announced or its decompressed size, and accepts the next', async () => {
    const { url, names } = await start();
    const large = Buffer.alloc(21 * 1024 * 1024, 0x20);
    const bomb = await post(url, gzipSync(large), { 'content-encoding': 'gzip' });
    expect(bomb.status).toBe(413);
    const announced = await raw(
      url,
      `POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n`,
    );
    expect(announced).toMatch(/^HTTP\/1.1 413 /);
    expect((await post(url, BODY)).status).toBe(200);
    expect(names()).toEqual(['one']);
  });

  test('answers a slow body with 408', async () => {
    const { url } = await start(500);
    const answer = await raw(
      url,
      'POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
  });

  test('survives a client that disconnects during a body', async () => {
    const { url } = await start();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(
      'POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    expect((await post(url, BODY)).status).toBe(200);
  });

  test('accepts and drops logs, and refuses other paths and methods', async () => {
    const { url } = await start();
    const logs = await fetch(`${url}/v1/logs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    const get = await fetch(`${url}/v1/traces`);
    const other = await fetch(`${url}/v1/profiles`, { method: 'POST' });
    expect([logs.status, get.status, get.headers.get('allow'), other.status]).toEqual([200, 405, 'POST', 404]);
  });

  test('refuses a Host that is not a loopback name: other web pages must not read the data', async () => {
    const { url } = await start();
    expect(await raw(url, 'GET /v1/traces HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1.1 403 /,
    );
  });

  test('survives random bytes', async () => {
    const { url } = await start();
    for (let index = 0; index < 200; index += 1) {
      const response = await post(url, randomBytes(index), { 'content-type': 'application/x-protobuf' });
      expect([200, 400]).toContain(response.status);
    }
  });

  test('explains what to do when the port is in use', async () => {
    const { url } = await start();
    const port = Number(new URL(url).port);
    await expect(startServer({ address: '127.0.0.1', port, handlers: [] })).rejects.toThrow(/is in use.*--port/);
  });
});

/** Sends bytes as they are and waits for the answer. */
function raw(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (!answer.includes('\r\n\r\n')) return;
      socket.destroy();
      resolve(answer);
    });
    socket.on('error', reject);
    socket.on('close', () => {
      resolve(answer);
    });
  });
}
