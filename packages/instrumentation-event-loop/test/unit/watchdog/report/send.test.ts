import net from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { OtlpEndpoint } from '../../../../src/contract/hang-report.js';
import { parseRetryAfter, send, type Outcome } from '../../../../src/watchdog/report/send.js';
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

describe('a receiver', () => {
  /** A TCP server of the test's own; returns the outcome of a request and the bytes that it took, and its sockets then. */
  async function outcomeWith(
    answer: (socket: net.Socket) => void,
    { body = '{}', timeoutMs = 100, scheme = 'http' } = {},
  ): Promise<{ outcome: Outcome; open: number }> {
    const sockets = new Set<net.Socket>();
    const server = net.createServer((socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => undefined);
      socket.resume(); // its end is seen only where it is read
      answer(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `${scheme}://127.0.0.1:${(server.address() as net.AddressInfo).port}/v1/traces`;
    const outcome = await outcomeOf(receiver.endpoint('traces', { url, timeoutMs }), body);
    // The other end of a socket learns of its end a little later.
    for (let i = 0; i < 100 && sockets.size > 0; i++) await new Promise((resolve) => setTimeout(resolve, 10));
    const open = sockets.size;
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    return { outcome, open };
  }

  const OK = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  const endless = (socket: net.Socket): void => {
    socket.write(OK);
    const timer = setInterval(() => socket.write('1\r\nx\r\n'), 5);
    socket.on('close', () => {
      clearInterval(timer);
    });
  };
  const flood = (socket: net.Socket): void => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const write = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.write(OK);
    socket.on('drain', write);
    write();
  };
  const headersForEver = (socket: net.Socket): void => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket.write('x-a: b\r\n'), 5);
    socket.on('close', () => {
      clearInterval(timer);
    });
  };
  const continues = (socket: net.Socket): void => {
    const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 5);
    socket.on('close', () => {
      clearInterval(timer);
    });
  };

  test.each<[string, (socket: net.Socket) => void, Outcome]>([
    ['that never ends its answer has sent it: its status says so', endless, 'sent'],
    ['whose answer is too long, too', flood, 'sent'],
    ['that never ends its headers is tried again', headersForEver, 'retry'],
    ['that answers for ever that it goes on is tried again', continues, 'retry'],
    ['that answers garbage is tried again', (socket) => socket.write('220 smtp.example.org\r\n'), 'retry'],
    ['that resets the connection is tried again', (socket) => socket.resetAndDestroy(), 'retry'],
    ['that says nothing is tried again', () => undefined, 'retry'],
  ])('%s, and costs no socket afterwards', async (_, answer, outcome) => {
    await expect(outcomeWith(answer)).resolves.toEqual({ outcome, open: 0 });
  });

  test('that does not read costs none', async () => {
    const body = JSON.stringify('x'.repeat(20_000_000));
    await expect(outcomeWith((socket) => socket.pause(), { body })).resolves.toMatchObject({ outcome: 'retry' });
  });

  test('that does not speak TLS is tried again', async () => {
    const answer = (socket: net.Socket): void => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
    await expect(outcomeWith(answer, { scheme: 'https' })).resolves.toEqual({ outcome: 'retry', open: 0 });
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  test.each([
    ['120', 120_000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['-5', 0],
    ['soon', 0],
    ['', 0],
    [undefined, 0],
  ])('%j is %i ms', (text, ms) => {
    expect(parseRetryAfter(text, now)).toBe(ms);
  });

  test('of an answer is handed over', async () => {
    receiver.answers = [429];
    receiver.retryAfter = '7';
    const retryAfterMs = await new Promise((resolve) => {
      send(receiver.endpoint(), '{}', (_, ms) => {
        resolve(ms);
      });
    });
    expect(retryAfterMs).toBe(7000);
  });
});
