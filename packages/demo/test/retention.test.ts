import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';

import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { openDatabase } from '../src/database/database.js';
import { ArtifactStore, KEPT_ARTIFACTS } from '../src/exports/artifact-store.js';
import { MAX_QUEUED_RUNS, triggerRun } from '../src/runs/trigger-run.js';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'loopwatch-demo-test-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

test('the oldest queued runs are removed with their payloads, and finished runs are kept', async () => {
  const payloadDirectory = mkdtempSync(path.join(directory, 'payloads-'));
  const seedSize = { logs: 1, schedules: 0, runsPerTask: 2 };
  const database = openDatabase({ directory, transactionTimeoutMs: 60_000, seedSize });
  const countRuns = (status: string): unknown =>
    database.reader.prepare('SELECT count(*) AS count FROM runs WHERE status = ?').get(status)?.['count'];
  const finishedBefore = countRuns('succeeded');
  // Fills the queue directly; the ids of new runs continue from the highest one.
  await database.transactions.run('skip', (transaction) => {
    const insert = transaction.prepare("INSERT INTO runs (task_id, status, created_at) VALUES (1, 'queued', 0)");
    for (let index = 0; index < MAX_QUEUED_RUNS; index++) insert.run();
  });
  const context = { database, payloadDirectory, hangRoute: false };
  for (let index = 0; index < 5; index++) await triggerRun(context, 1, { index });
  expect(countRuns('queued')).toBe(MAX_QUEUED_RUNS);
  expect(countRuns('succeeded')).toBe(finishedBefore);
  expect(readdirSync(payloadDirectory)).toHaveLength(5);
  database.close();
});

test('the artifact store keeps the newest artifacts and counts repeated uploads', async () => {
  const store = new ArtifactStore(directory);
  for (let index = 0; index < KEPT_ARTIFACTS + 3; index++) await store.put(`export-${index}`, Readable.from(['abc']));
  expect(store.find('export-2')).toBeUndefined();
  expect(store.find('export-3')).toMatchObject({ bytes: 3, copies: 1 });
  expect(readdirSync(directory)).toHaveLength(KEPT_ARTIFACTS);
  expect(await store.put('export-3', Readable.from(['abc']))).toMatchObject({ copies: 2 });
});
