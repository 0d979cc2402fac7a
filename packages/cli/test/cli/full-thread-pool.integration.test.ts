import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, test } from '@jest/globals';

import type { Recording } from '../../src/model/recording/recording.js';
import { fixture, runCli } from '../support/cli.js';

const page = path.resolve(import.meta.dirname, '../../../../docs/culprits/full-thread-pool.md');
const program = fixture('full-thread-pool.cjs');

test('run says what holds the pool and what waits, and nothing after the fix', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-pool-'));
  const json = path.join(directory, 'run.json');
  const before = await runCli(['run', '--json', json, '--', 'node', program]);
  expect(before.code).toBe(0);
  expect(before.stderr).toMatch(
    /Tasks waited [\d.]+ m?s for libuv's thread pool: 4 of 4 threads compute, probably hashes or compression; 1 lookup waits\./,
  );
  const { threadPool } = JSON.parse(await readFile(json, 'utf8')) as Recording;
  await rm(directory, { recursive: true });
  expect(threadPool).toMatchObject([{ size: 4, holders: ['cpu×4'], queued: ['GetAddrInfoReqWrap×1'] }]);

  const after = await runCli(['run', '--', 'node', program], { env: { FIXED: '1' } });
  expect(after.code).toBe(0);
  expect(after.stderr).not.toContain("libuv's thread pool");
});

test('the page on it shows the program', async () => {
  const text = await readFile(page, 'utf8');
  for (const [code] of (await readFile(program, 'utf8')).matchAll(/^function [^]*?^}$/gm)) expect(text).toContain(code);
});
