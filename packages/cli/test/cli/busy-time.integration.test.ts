import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, test } from '@jest/globals';

import type { Recording } from '../../src/model/recording/recording.js';
import { fixture, runCli } from '../support/cli.js';

test('run says what keeps a loop busy where no callback is long enough for a block', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-busy-'));
  const json = path.join(directory, 'run.json');
  const program = fixture('thousand-cuts.cjs');
  // On a machine that is busy itself, a callback of 9 ms may take long: it is still none of these blocks.
  const { code, stderr } = await runCli(['run', '--threshold', '2000', '--json', json, '--', 'node', program], {
    cwd: fixture(''),
  });
  const { busy = [] } = JSON.parse(await readFile(json, 'utf8')) as Recording;
  await rm(directory, { recursive: true });
  expect(code).toBe(0);
  expect(stderr.replaceAll(/\s+(loopwatch )?/g, ' ')).toMatch(
    /The loop was busy \d+ % of \d+ s(?:, \d+ % of it waiting for CPU)?, no block: \d+ % in GET \/search, parseFilters \(thousand-cuts\.cjs:\d+\)/,
  );
  const totalMs = busy.reduce((sum, { ms }) => sum + ms, 0);
  const shareOf = (functionName: string): number =>
    busy.reduce((sum, { culprit, ms }) => sum + (culprit?.functionName === functionName ? ms : 0), 0) / totalMs;
  // Of requests that are sent in turn, one takes three times as long as the other; the clients are in the process, too.
  expect(shareOf('parseFilters')).toBeGreaterThan(0.25);
  expect(shareOf('parseFilters')).toBeGreaterThan(1.5 * shareOf('toRows'));
  const search = busy.find(({ culprit }) => culprit?.functionName === 'parseFilters');
  expect(search).toMatchObject({ request: 'GET /search', culprit: { filePath: program } });
});
