import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import type { FastifyInstance } from 'fastify';

import { buildApp } from '../../src/service/app.js';
import { openDatabase } from '../../src/database/database.js';
import type { SeedSize } from '../../src/database/seed.js';

export interface TestApp {
  readonly app: FastifyInstance;
  readonly close: () => Promise<void>;
}

/** Starts the application with its own database. */
export async function startTestApp(seedSize: SeedSize, hangRoute = false, release: 1 | 2 = 1): Promise<TestApp> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'loopwatch-demo-test-'));
  const payloadDirectory = path.join(directory, 'payloads');
  mkdirSync(payloadDirectory);
  const database = openDatabase({ directory, transactionTimeoutMs: 60_000, seedSize });
  const app = await buildApp({ database, payloadDirectory, hangRoute, release });
  return {
    app,
    async close() {
      await app.close();
      await database.transactions.drain();
      database.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The longest loop iteration during the work, in ms. */
export async function longestBlockMs(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let lastIterationAt = performance.now();
  const measureIteration = (): void => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - lastIterationAt);
    lastIterationAt = now;
    immediate = setImmediate(measureIteration);
  };
  let immediate = setImmediate(measureIteration);
  try {
    await work();
    // Measures the iteration of the last callback too.
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    clearImmediate(immediate);
  }
  return longestMs;
}
