/**
 * The demo service. Start it with `node --enable-source-maps --import ./dist/telemetry.mjs dist/service.mjs`:
 * instrumentations patch a module while it is loaded, so the SDK must start before the service.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';

import { buildApp } from './service/app.js';
import { readConfig } from './service/config.js';
import { openDatabase } from './database/database.js';
import { shutdownTelemetry } from './telemetry.js';

/** Well within the 30 s that Kubernetes gives a process by default before it kills it. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

const config = readConfig(process.env);
const temporaryDirectory =
  config.dataDirectory === undefined ? mkdtempSync(path.join(os.tmpdir(), 'loopwatch-demo-')) : undefined;
const directory = config.dataDirectory ?? temporaryDirectory!;
const payloadDirectory = path.join(directory, 'payloads');
mkdirSync(payloadDirectory, { recursive: true });
const database = openDatabase({ directory, transactionTimeoutMs: config.transactionTimeoutMs });

const app = await buildApp({ database, payloadDirectory, hangRoute: config.hangRoute, release: config.release });
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
    console.error(`The service did not shut down within ${SHUTDOWN_TIMEOUT_MS} ms and exits.`);
    process.exit(1);
  }, SHUTDOWN_TIMEOUT_MS).unref();
  try {
    await app.close();
    await database.transactions.drain();
    database.close();
    if (temporaryDirectory !== undefined) rmSync(temporaryDirectory, { recursive: true, force: true });
  } finally {
    // Last, because the last requests end their spans while the application closes.
    await shutdownTelemetry();
  }
}
