/**
 * The service. Start it as `node --enable-source-maps --import ./dist/telemetry.mjs dist/service.mjs`: what is to be
 * traced must be instrumented before it is loaded.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';

import { buildApp } from './service/app.js';
import { readConfig } from './service/config.js';
import { openDatabase } from './database/database.js';
import { shutdownTelemetry } from './telemetry.js';

/** A shutdown that hangs must not outlive an orchestrator's grace period. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

const config = readConfig(process.env);
const temporaryDirectory =
  config.dataDirectory === undefined ? mkdtempSync(path.join(os.tmpdir(), 'loopwatch-demo-')) : undefined;
const directory = config.dataDirectory ?? temporaryDirectory!;
const payloadDirectory = path.join(directory, 'payloads');
mkdirSync(payloadDirectory, { recursive: true });
const database = openDatabase({ directory, transactionTimeoutMs: config.transactionTimeoutMs });

const app = await buildApp({ database, payloadDirectory, hangRoute: config.hangRoute });
await app.listen({ host: config.host, port: config.port });

let stopping = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    void stop();
  });
}

const { address, port, family } = app.server.address() as AddressInfo;
console.log(`loopwatch-demo listening on http://${family === 'IPv6' ? `[${address}]` : address}:${port}`);

async function stop(): Promise<void> {
  setTimeout(() => {
    console.error(`The shutdown did not end within ${SHUTDOWN_TIMEOUT_MS} ms.`);
    process.exit(1);
  }, SHUTDOWN_TIMEOUT_MS).unref();
  try {
    await app.close();
    await database.transactions.drain();
    database.close();
    if (temporaryDirectory !== undefined) rmSync(temporaryDirectory, { recursive: true, force: true });
  } finally {
    // Last, so that the spans of the last requests are sent too.
    await shutdownTelemetry();
  }
}
