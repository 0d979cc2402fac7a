import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';

import { MAX_HEARTBEAT_THREADS } from '../src/consumers/consumer-group.js';
import { ChildProgram, SERVICE_COMMAND } from './support/child-program.js';

jest.setTimeout(120_000);

let service: ChildProgram;
let serviceUrl: string;

beforeAll(async () => {
  // No receiver: what these stories need of telemetry is tested elsewhere.
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
  test('is in the store when it is answered, if the task awaits its upload', async () => {
    const { status, body } = await call('POST', `/runs/1/export?fixed=1&piscina=${piscina}`);
    expect(status).toBe(201);
    const artifact = await call('GET', `/artifacts/${String(body['key'])}`);
    expect(artifact.body).toMatchObject({ bytes: body['bytes'], copies: 1 });
  });

  test('is stuck until the next task wakes the thread, if it does not', async () => {
    const { body } = await call('POST', `/runs/1/export?piscina=${piscina}`);
    const key = String(body['key']);
    // The upload takes some milliseconds; asleep, the thread does not do it however long one waits.
    await delay(1500);
    expect(await call('GET', `/artifacts/${key}`)).toMatchObject({ status: 404 });
    await call('POST', `/runs/1/export?fixed=1&piscina=${piscina}`);
    expect(await call('GET', `/artifacts/${key}`)).toMatchObject({ status: 200, body: { copies: 1 } });
  });
});

test('the twins of an export answer the same', async () => {
  const slow = await call('POST', '/runs/1/export');
  const fixed = await call('POST', '/runs/1/export?fixed=1');
  const { key: _slowKey, ...slowBody } = slow.body;
  const { key: _fixedKey, ...fixedBody } = fixed.body;
  expect(slowBody).toMatchObject({ logCount: 20_000 });
  expect(fixedBody).toEqual(slowBody);
});

test('rebalances leave a thread behind each, up to a limit, and the twin leaves none', async () => {
  const before = await call('GET', '/consumers');
  const generation = Number(before.body['generation']);
  for (let index = 1; index <= MAX_HEARTBEAT_THREADS; index++) {
    expect(await call('POST', '/consumers/rebalance')).toEqual({
      status: 201,
      body: { generation: generation + index },
    });
  }
  expect(await call('POST', '/consumers/rebalance')).toMatchObject({ status: 429, body: { code: 'TOO_MANY_THREADS' } });
  // The clean one ends them all first, so there is room again.
  expect(await call('POST', '/consumers/rebalance?fixed=1')).toMatchObject({ status: 201 });
  expect(await call('POST', '/consumers/rebalance')).toMatchObject({ status: 201 });
});
