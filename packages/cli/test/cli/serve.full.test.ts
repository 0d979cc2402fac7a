import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { nodeMajors, type NodeMajor } from '@loopwatch/node-binaries';
import { freePort } from '@loopwatch/test-support/free-port';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

import { Profile } from 'pprof-format';

import type { PageState } from '../../src/model/live/page.js';
import { expectSuccess, fixture, type RunningCli, startCli } from '../support/cli.js';
import { type SpanInput, tracesBody } from '../support/otlp.js';

const TRACE = 'a'.repeat(32);
const REQUEST: SpanInput = { traceId: TRACE, spanId: '1'.repeat(16), name: 'GET /slow', kind: 2, startMs: 0, endMs: 0 };

let directory: string;
let running: RunningCli | undefined;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-test-'));
});
afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.result;
  running = undefined;
  await rm(directory, { recursive: true, force: true });
});

async function serve(args: readonly string[] = [], major?: NodeMajor): Promise<string> {
  running = startCli(['serve', '--port', '0', ...args], major === undefined ? {} : { major });
  return (await running.waitFor(/http:\/\/127\.0\.0\.1:\d+/))[0];
}

function spans(): SpanInput[] {
  const nowMs = Date.now();
  const attributes = {
    'code.function.name': 'burnCpu',
    'code.file.path': fixture('burn.cjs'),
    'code.line.number': 5,
    'event_loop.blocked.cause': 'javascript',
    'event_loop.blocked.profile': 'main;burnCpu 300',
    'code.stacktrace': `    at burnCpu (${fixture('burn.cjs')}:5:10)`,
  };
  return [
    {
      ...REQUEST,
      spanId: 'b'.repeat(16),
      parentSpanId: REQUEST.spanId,
      name: 'event-loop-blocked',
      kind: 1,
      startMs: nowMs - 1_000,
      endMs: nowMs - 700,
      attributes,
    },
    { ...REQUEST, startMs: nowMs - 1_010, endMs: nowMs },
  ];
}

async function send(url: string, ...list: SpanInput[]): Promise<void> {
  await sendOf('api', url, ...list);
}

async function sendOf(service: string, url: string, ...list: SpanInput[]): Promise<void> {
  const body = JSON.stringify(tracesBody({ 'service.name': service, 'process.pid': 4 }, list));
  const response = await fetch(`${url}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect(response.status).toBe(200);
}

/** The events of a stream, each of which may arrive in several pieces. */
async function* eventsOf({ body }: Response): AsyncGenerator<string, undefined> {
  let text = '';
  for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
    const events = (text + piece).split('\n\n');
    text = events.pop()!;
    yield* events;
  }
  return undefined;
}

const getJson = async <T>(url: string): Promise<T> => (await fetch(url)).json() as Promise<T>;

describe('loopwatch serve', () => {
  test.each(nodeMajors)('prints blocks and a summary, on Node.js %d', async (major) => {
    const url = await serve(['--print'], major);
    await send(url, ...spans());
    await running!.waitFor(/ 300 ms {2}javascript {3}burnCpu .*burn\.cjs:5 {2}in GET \/slow/);
    running!.child.kill('SIGINT');
    const result = await running!.result;
    expectSuccess(result);
    const { stdout } = result;
    expect(stdout.toString()).toMatch(/1 block by 1 culprit in .*\n.*culprit\n +1 +300 ms +300 ms +\d+ % {2}burnCpu/);
  });

  test('serves the page and its data', async () => {
    const url = await serve(['--jaeger', 'http://localhost:16686/']);
    await send(url, ...spans());
    expect(await (await fetch(url)).text()).toMatch(/^<!doctype html>/);
    const state = await getJson<PageState>(`${url}/api/state`);
    expect(state).toMatchObject({
      jaegerUrl: 'http://localhost:16686',
      instances: [{ service: 'api', label: 'pid 4' }],
      blocks: [{ durationMs: expect.closeTo(300, 0), request: 'GET /slow' }],
    });
    expect(state.blocks[0]).not.toHaveProperty('stackTrace');
    const detail = await getJson(`${url}/api/block?id=${state.blocks[0]!.id}`);
    expect(detail).toMatchObject({
      block: { stackTrace: expect.stringContaining('burnCpu') },
      trace: expect.arrayContaining([expect.objectContaining({ name: 'GET /slow' })]),
      sources: { [fixture('burn.cjs')]: { 5: expect.stringContaining('sum = 0') } },
    });
    expect(await getJson(`${url}/api/flame?text=nothing`)).toMatchObject({ value: 0 });
    expect(await getJson(`${url}/api/flame?cause=javascript`)).toMatchObject({ children: [{ name: 'main' }] });
    expect((await fetch(`${url}/api/block?id=none`)).status).toBe(404);
  });

  test('says how long tasks waited for the thread pool, on the page and in the summary, of which service where there are several', async () => {
    const url = await serve(['--print']);
    const nowMs = Date.now();
    const attributes = { 'libuv.thread_pool.size': 4, 'libuv.thread_pool.holders': ['cpu×4'] };
    const starved = {
      ...REQUEST,
      name: 'thread-pool-starved',
      kind: 1,
      startMs: nowMs - 1_200,
      endMs: nowMs,
      attributes,
    };
    await send(url, starved);
    const rest = "waited 1.20 s for libuv's thread pool: 4 of 4 threads compute, probably hashes or compression.";
    const { remarks, blocks } = await getJson<PageState>(`${url}/api/state`);
    expect(remarks).toEqual([expect.stringContaining(`Tasks ${rest}`)]);
    expect(blocks).toEqual([]);
    await sendOf('worker', url, ...spans());
    expect((await getJson<PageState>(`${url}/api/state`)).remarks).toEqual([
      expect.stringContaining(`Tasks of api ${rest}`),
    ]);
    running!.child.kill('SIGINT');
    const { stdout } = await running!.result;
    // The sentence about the blocks is first.
    expect(stdout.toString().replaceAll(/\s+/g, ' ')).toMatch(/burnCpu [^]* took [^]* Tasks of api waited 1\.20 s/);
  });

  test('says what the code looks like by its source, and that it is a guess where it has none', async () => {
    const url = await serve(['--source', directory]);
    const [block] = spans();
    const searchIn = async (name: string, lines: readonly string[] = []): Promise<SpanInput> => {
      const filePath = path.join(directory, name);
      if (lines.length > 0) await writeFile(filePath, lines.join('\n'));
      const attributes = {
        ...block!.attributes,
        'code.function.name': name,
        'code.file.path': filePath,
        'code.line.number': 3,
        'code.stacktrace': `    at ${name} (${filePath}:3:10)`,
        'event_loop.blocked.profile': `main;${name};Array.find;isOwn 200\nmain;${name} 100`,
        'event_loop.blocked.stack_quality': 'live',
      };
      return { ...block!, spanId: Buffer.from(name).toString('hex').padStart(16, '0'), attributes };
    };
    const list = [
      await searchIn('a.js', ['for (const log of logs) {', '  count++;', '  logs.find(isOwn);', '}']),
      await searchIn('b.js', ['for (const log of logs) {', '  JSON.parse(log);', '  first.find(isOwn);', '}']),
      await searchIn('c.js'),
    ];
    const events = eventsOf(await fetch(`${url}/api/events`));
    await events.next();
    await send(url, ...list);
    const expected = ['a.js nested-scan', 'b.js null', 'c.js nested-scan true'];
    const kinds = ({ blocks }: Pick<PageState, 'blocks'>): string[] =>
      blocks.map(({ culprit, kind, kindIsGuess }) =>
        [culprit?.functionName, String(kind), kindIsGuess].join(' ').trim(),
      );
    expect(kinds(await getJson<PageState>(`${url}/api/state`))).toEqual(expected);
    const { value = '' } = await events.next();
    expect(kinds(JSON.parse(value.replace(/^data: /, '')) as PageState)).toEqual(expected);
    await events.return(undefined);
  });

  test('shows source below the directory in which it was started, or below those that are named', async () => {
    const [block] = spans();
    const sourcesOf = async (args: readonly string[], files: readonly string[]): Promise<string[]> => {
      const url = await serve(args);
      const stack = files.map((file) => `    at f (${file}:1:1)`).join('\n');
      await send(url, { ...block!, attributes: { 'code.function.name': 'f', 'code.stacktrace': stack } });
      const { sources } = await getJson<{ sources: object }>(`${url}/api/block?id=${block!.spanId}`);
      running!.child.kill('SIGKILL');
      await running!.result;
      return Object.keys(sources);
    };
    const other = path.join(directory, 'other.js');
    const link = path.join(directory, 'link.js');
    await writeFile(other, 'one');
    await symlink('/etc/passwd', link);
    const files = [fixture('burn.cjs'), other, link, '/etc/passwd', '/proc/self/environ'];
    expect(await sourcesOf([], files)).toEqual([fixture('burn.cjs')]);
    expect(await sourcesOf(['--source', directory], files)).toEqual([other]);
    expect(await sourcesOf(['--source', directory, '--source', path.dirname(fixture('.'))], files)).toEqual([
      fixture('burn.cjs'),
      other,
    ]);
  });

  test('beyond loopback, page and data want the token, and OTLP does not', async () => {
    running = startCli(['serve', '--port', '0', '--host', '0.0.0.0']);
    const [, url = '', token = ''] = await running.waitFor(/(http:\/\/localhost:\d+)\/\?token=([\w-]{43}) /);
    await send(url, ...spans());
    const statuses = async (init?: RequestInit): Promise<number[]> =>
      Promise.all(
        ['/', '/api/state', '/api/flame', '/api/culprit', '/api/block', '/debug/pprof/blocked'].map(
          async (name) => (await fetch(url + name, init)).status,
        ),
      );
    const port = new URL(url).port;
    const cookie = (value: string): RequestInit => ({ headers: { cookie: `a=b; loopwatch-${port}=${value}` } });
    const open = [200, 200, 200, 200, 404, 200];
    const closed = open.map(() => 401);
    expect(await statuses()).toEqual(closed);
    expect(await statuses(cookie(`${token.slice(1)}x`))).toEqual(closed);
    expect(await statuses({ headers: { authorization: 'Bearer x' } })).toEqual(closed);
    expect((await fetch(`${url}/api/events?token=x`)).status).toBe(401);
    expect(await statuses({ headers: { authorization: `Bearer ${token}` } })).toEqual(open);
    const page = await fetch(`${url}/?token=${token}`);
    const [given] = page.headers.getSetCookie();
    expect([page.status, given]).toEqual([200, `loopwatch-${port}=${token}; Path=/; HttpOnly; SameSite=Strict`]);
    expect(await statuses(cookie(token))).toEqual(open);
    const detail = await fetch(`${url}/api/block?id=${spans()[0]!.spanId}`, cookie(token));
    expect(await detail.json()).toMatchObject({ block: { request: 'GET /slow' }, sources: {} });
    expect(
      (await fetch(`${url}/v1/traces`, { method: 'POST', headers: { origin: 'http://evil.example' } })).status,
    ).toBe(403);
  });

  test('the environment sets the token, on loopback, too; a short one is refused', async () => {
    const token = 'a'.repeat(20);
    running = startCli(['serve', '--port', '0'], { env: { LOOPWATCH_SERVE_TOKEN: token } });
    const [, url = ''] = await running.waitFor(new RegExp(`(http://127\\.0\\.0\\.1:\\d+)/\\?token=${token}`));
    expect([(await fetch(url)).status, (await fetch(`${url}/?token=${token}`)).status]).toEqual([401, 200]);
    const { code, stderr } = await startCli(['serve', '--port', '0'], { env: { LOOPWATCH_SERVE_TOKEN: 'short' } })
      .result;
    expect([code, stderr]).toEqual([1, expect.stringContaining('Expected at least 16 letters')]);
  });

  test('streams changes', async () => {
    const url = await serve();
    const response = await fetch(`${url}/api/events`);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    await send(url, ...spans());
    let received = '';
    while (!received.includes('GET /slow')) received += (await reader.read()).value ?? '';
    await reader.cancel();
    expect(received).toMatch(/data: \{.*"request":"GET \/slow".*\}\n\n/);
  });

  test('serves a profile of the blocked time for pprof, filtered as the page is', async () => {
    const url = await serve();
    await send(url, ...spans());
    const functionsOf = async (query: string): Promise<string[]> => {
      const response = await fetch(`${url}/debug/pprof/blocked${query}`);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
      const profile = Profile.decode(gunzipSync(new Uint8Array(await response.arrayBuffer())));
      return profile.function.map(({ name }) => profile.stringTable.strings[Number(name)]!);
    };
    expect(await functionsOf('')).toContain('burnCpu');
    expect(await functionsOf('?service=api&seconds=60')).toContain('burnCpu');
    expect(await functionsOf('?service=other')).toEqual([]);
  });

  test.each(nodeMajors)('stores blocks in a file and restores them at the next start, on Node.js %d', async (major) => {
    const file = path.join(directory, 'kept.db');
    await send(await serve(['--keep', file], major), ...spans());
    running!.child.kill('SIGTERM');
    await running!.result;
    const url = await serve(['--keep', file], major);
    const state = await getJson<PageState>(`${url}/api/state`);
    expect(state.blocks).toMatchObject([{ request: 'GET /slow' }]);
    expect(state.instances).toMatchObject([{ service: 'api' }]);
  });

  test('loses no more than the last second when it is killed', async () => {
    const file = path.join(directory, 'kept.db');
    await send(await serve(['--keep', file]), ...spans());
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    running!.child.kill('SIGKILL');
    await running!.result;
    const url = await serve(['--keep', file]);
    expect((await getJson<PageState>(`${url}/api/state`)).blocks).toHaveLength(1);
  });

  test('ends when the reader of its output has gone', async () => {
    const url = await serve(['--print']);
    running!.child.stdout!.destroy();
    // The next line that it prints fails.
    for (let count = 0; running!.child.exitCode === null && count < 100; count += 1) {
      await send(url, { ...spans()[0]!, spanId: count.toString(16).padStart(16, '0') }).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expectSuccess(await running!.result);
  });

  (process.platform === 'linux' ? test : test.skip)('says once that its output cannot be written', async () => {
    const port = await freePort();
    const under = ['sh', '-c', 'exec "$@" > /dev/full', 'sh'];
    running = startCli(['serve', '--print', '--port', String(port)], { under });
    await running.waitFor(/Cannot write to stdout, and goes on: ENOSPC/);
    await send(`http://127.0.0.1:${port}`, ...spans());
    running.child.kill('SIGTERM');
    const result = await running.result;
    expectSuccess(result);
    expect(result.stderr.match(/Cannot write/g)).toHaveLength(1);
  });

  test('goes on without a browser, saves, and ends at the first signal', async () => {
    const file = path.join(directory, 'kept.db');
    running = startCli(['serve', '--port', '0', '--open', '--keep', file], { env: { PATH: directory } });
    const [, url = ''] = await running.waitFor(/(http:\/\/127\.0\.0\.1:\d+)/);
    await running.waitFor(/Cannot open the browser: .*ENOENT/);
    await send(url, ...spans());
    running.child.kill('SIGTERM');
    expectSuccess(await running.result);
    const state = await getJson<PageState>(`${await serve(['--keep', file])}/api/state`);
    expect(state.blocks).toHaveLength(1);
  });

  test('accepts sixty batches of a thousand spans', async () => {
    const url = await serve();
    const exporter = new InMemorySpanExporter();
    const tracer = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }).getTracer('load');
    for (let index = 0; index < 1_000; index += 1) {
      tracer
        .startSpan(`GET /items/${index % 20}`, {
          attributes: { 'http.route': '/items/:id', index, text: 'x'.repeat(100) },
        })
        .end();
    }
    const body = new Uint8Array(ProtobufTraceSerializer.serializeRequest(exporter.getFinishedSpans())!);
    const headers = { 'content-type': 'application/x-protobuf' };
    const batches = 60;
    for (let index = 0; index < batches; index += 4) {
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => fetch(`${url}/v1/traces`, { method: 'POST', headers, body })),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    }
  });
});
