import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';

import { MAX_HEARTBEAT_THREADS } from '../src/consumers/consumer-group.js';
import { ChildProgram, SERVICE_COMMAND } from './support/child-program.js';

jest.setTimeout(120_000);

let service: ChildProgram;
let serviceUrl: string;

beforeAll(async () => {
  // Without telemetry: sleeping-worker.calm.full.test.ts tests the spans of these scenarios.
  service = new ChildProgram(SERVICE_COMMAND, { OTEL_SDK_DISABLED: 'true', DEMO_HANG_ROUTE: '1' });
  serviceUrl = (await service.waitForOutput(/listening on (\S+)/))[1]!;
});

afterAll(async () => {
  await service.kill();
});

async function call(method: 'GET' | 'POST', route: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(new URL(route, serviceUrl), { method });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe.each(['4', '5'])('an export in Piscina %s', (piscina) => {
  test('is in the store when the request is answered, if the task awaits its upload', async () => {
    const { status, body } = await call('POST', `/runs/1/export?fixed=1&piscina=${piscina}`);
    expect(status).toBe(201);
    const artifact = await call('GET', `/artifacts/${String(body['key'])}`);
    expect(artifact.body).toMatchObject({ bytes: body['bytes'], copies: 1 });
  });

  test('is not in the store until the next task wakes the thread, if the task does not await its upload', async () => {
    const { body } = await call('POST', `/runs/1/export?piscina=${piscina}`);
    const key = String(body['key']);
    // The upload takes some milliseconds, but a sleeping thread never does it.
    await delay(1500);
    expect(await call('GET', `/artifacts/${key}`)).toMatchObject({ status: 404 });
    await call('POST', `/runs/1/export?fixed=1&piscina=${piscina}`);
    expect(await call('GET', `/artifacts/${key}`)).toMatchObject({ status: 200, body: { copies: 1 } });
  });
});

test('the fixed variant of an export gives the same answer', async () => {
  const slow = await call('POST', '/runs/1/export');
  const fixed = await call('POST', '/runs/1/export?fixed=1');
  const { key: _slowKey, ...slowBody } = slow.body;
  const { key: _fixedKey, ...fixedBody } = fixed.body;
  expect(slowBody).toMatchObject({ logCount: 20_000 });
  expect(fixedBody).toEqual(slowBody);
});

test('each rebalance leaks a thread, up to a limit, and the fixed variant leaks none', async () => {
  const before = await call('GET', '/consumers');
  const generation = Number(before.body['generation']);
  for (let index = 1; index <= MAX_HEARTBEAT_THREADS; index++) {
    expect(await call('POST', '/consumers/rebalance')).toEqual({
      status: 201,
      body: { generation: generation + index },
    });
  }
  expect(await call('POST', '/consumers/rebalance')).toMatchObject({ status: 429, body: { code: 'TOO_MANY_THREADS' } });
  // The fixed variant ends all threads first, so that the next rebalance is below the limit.
  expect(await call('POST', '/consumers/rebalance?fixed=1')).toMatchObject({ status: 201 });
  expect(await call('POST', '/consumers/rebalance')).toMatchObject({ status: 201 });
});
