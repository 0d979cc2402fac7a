import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { OtlpEndpoint } from '../../../../src/contract/hang-report.js';
import { send, type Outcome } from '../../../../src/watchdog/report/send.js';
import { OtlpReceiver } from '../../support/otlp-receiver.js';

let receiver: OtlpReceiver;

beforeEach(async () => {
  receiver = new OtlpReceiver();
  await receiver.listen();
});

afterEach(async () => {
  await receiver.close();
});

function outcomeOf(endpoint: OtlpEndpoint, body = '{}'): Promise<Outcome> {
  return new Promise((resolve) => {
    send(endpoint, body, resolve);
  });
}

test('the body is posted as JSON, with the headers of the endpoint', async () => {
  const body = '{"größe":"🐢"}';
  await expect(
    outcomeOf(receiver.endpoint('traces', { headers: { authorization: 'Bearer abc' } }), body),
  ).resolves.toBe('sent');
  expect(receiver.received).toMatchObject([
    {
      method: 'POST',
      path: '/v1/traces',
      headers: {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        authorization: 'Bearer abc',
      },
      body,
    },
  ]);
});

test('a header of the endpoint does not change type and length of the body', async () => {
  await outcomeOf(
    receiver.endpoint('traces', { headers: { 'content-type': 'text/plain', 'content-length': '3' } }),
    '{"a":1}',
  );
  expect(receiver.received).toMatchObject([{ headers: { 'content-type': 'application/json' }, body: '{"a":1}' }]);
});

describe('the outcome', () => {
  test.each<[number, Outcome]>([
    [200, 'sent'],
    [202, 'sent'],
    [400, 'refused'],
    [401, 'refused'],
    [404, 'refused'],
    [413, 'refused'],
    [301, 'refused'],
    [500, 'refused'],
    [429, 'retry'],
    [502, 'retry'],
    [503, 'retry'],
    [504, 'retry'],
  ])('of status %i is %s', async (status, outcome) => {
    receiver.answers = [status];
    await expect(outcomeOf(receiver.endpoint())).resolves.toBe(outcome);
  });

  test('of a connection that breaks is retry', async () => {
    receiver.answers = [-1];
    await expect(outcomeOf(receiver.endpoint())).resolves.toBe('retry');
  });

  test('of a receiver that does not answer in time is retry', async () => {
    receiver.answers = [0];
    await expect(outcomeOf(receiver.endpoint('traces', { timeoutMs: 50 }))).resolves.toBe('retry');
  });

  test('of a receiver that is not there is retry', async () => {
    const closed = new OtlpReceiver();
    await closed.listen();
    const endpoint = closed.endpoint();
    await closed.close();
    await expect(outcomeOf(endpoint)).resolves.toBe('retry');
  });
});

describe('a request that cannot be sent', () => {
  test.each<[string, Partial<OtlpEndpoint>]>([
    ['a header that HTTP does not accept', { headers: { 'x-a': 'line\nbreak' } }],
    ['a certificate that is not there', { url: 'https://127.0.0.1:1/v1/traces', certificate: '/nonexistent/ca.pem' }],
    ['no URL', { url: 'nonsense' }],
  ])('is refused and throws nothing: %s', async (_, overrides) => {
    await expect(outcomeOf(receiver.endpoint('traces', overrides))).resolves.toBe('refused');
    expect(receiver.received).toHaveLength(0);
  });
});
