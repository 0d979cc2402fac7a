import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { fixture, runCli } from '../support/cli.js';

/** Without Go, the tests are shown as skipped. */
const hasGo = spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0;
const testWithGo = hasGo ? test : test.skip;
/** Go compiles pprof at its first use. */
const TIMEOUT_MS = 180_000;

describe('go tool pprof', () => {
  let directory: string;
  let file: string;
  beforeAll(async () => {
    if (!hasGo) return;
    directory = await mkdtemp(path.join(tmpdir(), 'loopwatch pprof '));
    file = path.join(directory, 'blocks.pb.gz');
    await runCli(['run', '--pprof', file, '--', 'node', fixture('requests.cjs')]);
  }, TIMEOUT_MS);
  afterAll(async () => {
    if (hasGo) await rm(directory, { recursive: true, force: true });
  });

  async function pprof(...options: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('go', ['tool', 'pprof', ...options, file], { timeout: TIMEOUT_MS });
    return stdout;
  }

  testWithGo(
    'lists the functions that blocked, by blocked time',
    async () => {
      const text = await pprof('-top', '-nodecount=1000');
      expect(text).toMatch(/^Type: blocked$/m);
      for (const name of ['inListener', 'inExpressRoute', 'inBackground']) {
        expect(text).toMatch(new RegExp(`^ .* ${name}$`, 'm'));
      }
    },
    TIMEOUT_MS,
  );

  testWithGo(
    'knows file and line',
    async () => {
      expect(await pprof('-top', '-lines', '-nodecount=1000')).toMatch(/ burn .*\/requests\.cjs:\d+$/m);
    },
    TIMEOUT_MS,
  );

  testWithGo(
    'lists the labels',
    async () => {
      const text = await pprof('-tags');
      for (const label of ['cause', 'process', 'thread', 'stack_quality', 'request']) {
        expect(text).toMatch(new RegExp(`^ *${label}: Total `, 'm'));
      }
      expect(text).toMatch(/ POST \/api\/users\/:id$/m);
    },
    TIMEOUT_MS,
  );

  testWithGo(
    'selects the blocks of a request',
    async () => {
      const text = await pprof('-top', '-tagfocus=request=GET /runs/:id');
      expect(text).toMatch(/ inFastifyHandler$/m);
      expect(text).not.toMatch(/ inListener$/m);
    },
    TIMEOUT_MS,
  );
});
