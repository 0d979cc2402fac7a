import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import { ChildProgram, SERVICE_COMMAND, isServing } from './support/child-program.js';
import { OtlpReceiver } from './support/otlp-receiver.js';

jest.setTimeout(120_000);

let receiver: OtlpReceiver;
let temporaryDirectory: string;
let service: ChildProgram | undefined;

beforeEach(async () => {
  receiver = await OtlpReceiver.start();
  temporaryDirectory = mkdtempSync(path.join(os.tmpdir(), 'loopwatch-demo-test-'));
});

afterEach(async () => {
  await service?.kill();
  await receiver.close();
  rmSync(temporaryDirectory, { recursive: true, force: true });
});

async function startService(environment: Record<string, string> = {}): Promise<string> {
  service = new ChildProgram(SERVICE_COMMAND, {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    // Longer than the test, so that only the shutdown exports spans.
    OTEL_BSP_SCHEDULE_DELAY: '600000',
    TMPDIR: temporaryDirectory,
    ...environment,
  });
  return (await service.waitForOutput(/listening on (\S+)/))[1]!;
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'on %s the service answers open requests, exports its spans, removes its folder and exits with 0',
  async (signal) => {
    const url = await startService();
    const slow = fetch(new URL('/runs/1/trace?logs=12000', url));
    // Answered after the slow request has arrived.
    await (await fetch(new URL('/healthz', url))).text();
    service!.signal(signal);
    expect((await slow).status).toBe(200);
    await (await slow).text();
    expect(await service!.ended()).toBe(0);
    expect(receiver.spans.map((span) => span.name)).toContain('GET /runs/:runId/trace');
    expect(readdirSync(temporaryDirectory)).toEqual([]);
    expect(await isServing(url)).toBe(false);
  },
);

test('the service ends although its worker threads are busy or asleep', async () => {
  const url = await startService();
  const post = (route: string): Promise<Response> => fetch(new URL(route, url), { method: 'POST' });
  expect((await post('/runs/1/export?piscina=4')).status).toBe(201);
  expect((await post('/runs/1/export?piscina=5')).status).toBe(201);
  expect((await post('/consumers/rebalance')).status).toBe(201);
  expect((await post('/consumers/rebalance')).status).toBe(201);
  service!.signal('SIGTERM');
  expect({ ended: await service!.ended(), output: service!.output }).toMatchObject({ ended: 0 });
});

test('a configured data directory is kept and opened again', async () => {
  const directory = path.join(temporaryDirectory, 'data');
  const url = await startService({ DEMO_DATA_DIR: directory });
  const created = await fetch(new URL('/tasks/1/runs', url), { method: 'POST' });
  const { id } = (await created.json()) as { id: number };
  service!.signal('SIGTERM');
  expect(await service!.ended()).toBe(0);

  const secondUrl = await startService({ DEMO_DATA_DIR: directory });
  const read = await fetch(new URL(`/runs/${id}`, secondUrl));
  expect(await read.json()).toMatchObject({ id, status: 'queued' });
});

test('an invalid setting ends the service with an error that names the variable', async () => {
  service = new ChildProgram(SERVICE_COMMAND, { PORT: 'http' });
  expect(await service.ended()).toBe(1);
  expect(service.output).toContain('PORT="http"');
});
