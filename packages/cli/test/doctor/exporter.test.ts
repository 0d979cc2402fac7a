import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { askExporter } from '../../src/cli/doctor/collect/exporter.js';
import type { ExporterAnswer } from '../../src/cli/doctor/facts.js';

let directory: string;
let server: Server;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-exporter-'));
  server = createServer((request, response) => request.resume().on('end', () => response.end()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(directory, { recursive: true });
});

async function answerWith(certificate: string): Promise<ExporterAnswer> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  const endpoint = { url, protocol: 'http/protobuf', headers: {}, variable: undefined };
  return (await askExporter(endpoint, { OTEL_EXPORTER_OTLP_CERTIFICATE: certificate }, directory)).answer;
}

test('a certificate is looked for in the directory of the process', async () => {
  await writeFile(path.join(directory, 'ca.pem'), '');
  expect(await answerWith('ca.pem')).toMatchObject({ kind: 'status', status: 200 });
  expect(await answerWith('none.pem')).toEqual({ kind: 'error', reason: 'ENOENT' });
});

const onUnix = process.platform === 'win32' ? test.skip : test;

onUnix('a FIFO is not waited for, and no device is read', async () => {
  execFileSync('mkfifo', [path.join(directory, 'fifo')]);
  for (const name of ['fifo', '/dev/zero']) {
    const reason = `expected a regular file of at most 1 MiB, got another kind of file: ${path.resolve(directory, name)}`;
    expect(await answerWith(name)).toEqual({ kind: 'error', reason });
  }
});

test('a large file is refused', async () => {
  await writeFile(path.join(directory, 'large.pem'), Buffer.alloc(1024 * 1024 + 1));
  expect(await answerWith('large.pem')).toMatchObject({ reason: expect.stringContaining('got 1048577 bytes') });
});
