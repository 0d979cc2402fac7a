import { execFile } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';
import type { ProgramTree, RunResult, SpanRecord } from '@loopwatch/test-support';
import { freePort } from '@loopwatch/test-support/free-port';

import { runUnstarved, spansOfBlocks } from '../support.ts';
import { next } from './extras.ts';
import { environmentTree, expectCulprit, INSTALL_TIMEOUT_MS } from './support.ts';

const SERVER = 1;
// One Node.js major and one SDK line: these tests are about the build, which takes a quarter of a minute.
const combination = { nodeMajor: 24, sdk: 'sdk3' } as const;
const telemetry = { lingerMs: 0 };

let tree: ProgramTree;
let folder: string;
/** The application's folder in the standalone server. */
let standalone: string;

beforeAll(async () => {
  tree = await environmentTree(combination.sdk, next);
  folder = await mkdtemp(path.join(tree.directory, 'next-'));
  await cp(path.join(tree.directory, 'next'), folder, { recursive: true });
  const cli = path.join(tree.consumer.directory, 'node_modules/next/dist/bin/next');
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
  await promisify(execFile)(nodeBinary(combination.nodeMajor), [cli, 'build'], { cwd: folder, env, timeout: 200_000 });
  standalone = path.join(folder, '.next/standalone', path.relative(tree.consumer.directory, folder));
}, INSTALL_TIMEOUT_MS);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('A block of a route handler in a standalone Next.js server that bundles the instrumentation', () => {
  test('has its culprit in the chunk, below the span of its request', async () => {
    const { result, status } = await serve([]);
    expect(status).toBe(200);
    const [span, ...others] = spansOfBlocks(result);
    expect(others).toEqual([]);
    expect(span?.attributes['code.file.path']).toContain(path.join(standalone, '.next/server/chunks/'));
    expect(span?.parentSpanId).toBe(result.truths[0]?.spanId);
    expect(rootOf(result, span)).toMatchObject({ name: 'GET /report', kind: SERVER });
  });

  test('has its culprit in the source file when the source maps are copied to the server and enabled', async () => {
    const chunks = path.join(folder, '.next/server/chunks');
    const maps = (await readdir(chunks)).filter((file) => file.endsWith('.map'));
    await Promise.all(
      maps.map((file) => cp(path.join(chunks, file), path.join(standalone, '.next/server/chunks', file))),
    );
    const { result, status } = await serve(['--enable-source-maps']);
    expect(status).toBe(200);
    const [span, ...others] = spansOfBlocks(result);
    expect(others).toEqual([]);
    const file = path.join(standalone, 'app/report/route.js');
    expectCulprit(span, { functionName: 'renderReport', file, lines: [4, 9] });
  });
});

/** Starts the server, requests the route once, and ends the server by SIGTERM, as an orchestrator does. */
async function serve(flags: readonly string[]): Promise<{ readonly result: RunResult; readonly status: number }> {
  const port = await freePort();
  let status = 0;
  const ask = async (child: ChildProcess): Promise<void> => {
    await wait(500);
    const response = await fetch(`http://127.0.0.1:${port}/report`).catch(() => undefined);
    await response?.text();
    status = response?.status ?? 0;
    await wait(500);
    child.kill('SIGTERM');
  };
  const result = await runUnstarved({
    combination,
    tree,
    program: path.relative(tree.directory, path.join(standalone, 'server.js')),
    preload: 'none',
    telemetry,
    flags,
    env: { PORT: `${port}`, HOSTNAME: '127.0.0.1', NEXT_TELEMETRY_DISABLED: '1' },
    onStart: (child) => {
      let isAsked = false;
      child.stdout?.on('data', (text: string) => {
        if (isAsked || !text.includes('Ready')) return;
        isAsked = true;
        void ask(child);
      });
    },
  });
  // 143 is Next's own exit code after SIGTERM.
  expect({ exitCode: result.exitCode, stderr: result.stderr }).toEqual({ exitCode: 143, stderr: '' });
  return { result, status };
}

function rootOf({ spans }: RunResult, span: SpanRecord | undefined): SpanRecord | undefined {
  const parent = spans.find(({ spanId, traceId }) => spanId === span?.parentSpanId && traceId === span.traceId);
  return parent ? rootOf({ spans } as RunResult, parent) : span;
}
