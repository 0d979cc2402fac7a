import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Server } from 'node:net';

import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';

import { answer } from '../../src/cli/http/answer.js';
import { type Handler, type RunningServer, startServer } from '../../src/cli/http/server.js';
import { rawRequest, statusOf } from '../support/raw-request.js';

let server: RunningServer | undefined;
let printed: string;
beforeEach(() => {
  printed = '';
  jest.spyOn(console, 'error').mockImplementation((text: string) => {
    printed += text;
  });
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  jest.restoreAllMocks();
});

async function start(
  act: (response: ServerResponse, request: IncomingMessage) => boolean | Promise<boolean>,
): Promise<number> {
  const good: Handler = (_request, response, { path }) => {
    if (path !== '/good') return false;
    answer(response, 200, 'text/plain', 'good');
    return true;
  };
  server = await startServer({
    address: '127.0.0.1',
    port: 0,
    handlers: [good, (request, response) => act(response, request)],
  });
  return server.port;
}

const get = (port: number, target: string, head = ''): Promise<string> =>
  rawRequest(port, `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${head}\r\n`);

const isAlive = async (port: number): Promise<boolean> => statusOf(await get(port, '/good')) === 200;

describe('the guard around the handlers', () => {
  test.each<[string, number | undefined, Parameters<typeof start>[0]]>([
    [
      'throws',
      500,
      () => {
        throw new Error('a defect');
      },
    ],
    ['rejects', 500, () => Promise.reject(new Error('a defect'))],
    [
      'throws after the head',
      undefined,
      (response) => {
        response.writeHead(200);
        response.write('part');
        throw new Error('a defect');
      },
    ],
    [
      'answers twice',
      200,
      (response) => {
        answer(response, 200, 'text/plain', 'one');
        answer(response, 200, 'text/plain', 'two');
        return true;
      },
    ],
    [
      'writes after the end',
      200,
      (response) => {
        response.end('one');
        response.write('two');
        return true;
      },
    ],
    [
      'has an error of its streams',
      200,
      (response, request) => {
        request.emit('error', new Error('a defect'));
        response.emit('error', new Error('a defect'));
        answer(response, 200, 'text/plain', 'one');
        return true;
      },
    ],
    [
      'sends a header that is none',
      500,
      (response) => {
        answer(response, 200, 'text/plain', 'one', { 'x-name': 'a\nb' });
        return true;
      },
    ],
  ])('a handler that %s ends nothing', async (_how, status, act) => {
    const port = await start(act);
    expect(statusOf(await get(port, '/bad'))).toBe(status);
    expect(await isAlive(port)).toBe(true);
  });

  test('an error that a request repeats does not fill the output', async () => {
    const port = await start(() => {
      throw new Error(`\u001b[2J${'x'.repeat(100_000)}`);
    });
    for (let count = 0; count < 50; count += 1) await get(port, '/bad');
    expect(printed.length).toBeLessThan(60_000);
    expect(printed).not.toContain('\u001b');
  });

  test('an error of the listening socket ends nothing', async () => {
    const listen = jest.spyOn(Server.prototype, 'listen');
    const port = await start(() => false);
    (listen.mock.contexts[0] as Server).emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
    expect(await isAlive(port)).toBe(true);
  });
});

describe('a request that is none', () => {
  const long = 'a'.repeat(8_000);
  test.each([
    ['an upgrade', 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', [404]],
    ['an upgrade to HTTP/2', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n', [403]],
    ['CONNECT', 'CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n', [undefined]],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400, 404, 505]],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400]],
    ['an expectation', 'POST / HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\nContent-Length: 1\r\n\r\n', [417]],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n', [404]],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', [400]],
    ['a header of 80 kB', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${long.repeat(10)}\r\n\r\n`, [431]],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', [400]],
    ['a control character', 'GET /\u0001 HTTP/1.1\r\nHost: localhost\r\n\r\n', [400, 404]],
  ])('%s ends nothing', async (_what, bytes, statuses) => {
    const port = await start(() => false);
    expect(statuses).toContain(statusOf(await rawRequest(port, bytes)));
    expect(await isAlive(port)).toBe(true);
  });

  test('a target that is no URL is not found, or refused', async () => {
    const port = await start(() => false);
    const targets = ['//', '/\\', '//[', 'http://[', '//@:0/', 'http://', '/%', '/%ff%00', `/${long}`, `//${long}[`];
    const answers = await Promise.all(targets.map((target) => get(port, target)));
    expect(answers.map(statusOf)).toEqual(targets.map((target) => (target.startsWith('http') ? 403 : 404)));
    expect(await isAlive(port)).toBe(true);
  });
});

describe('answers that nobody reads', () => {
  test('are refused above 64 MiB, and no longer once the clients have gone', async () => {
    const body = Buffer.alloc(24 * 1024 * 1024, 'x');
    const port = await start((response) => {
      answer(response, 200, 'text/plain', body);
      return true;
    });
    const clients = Array.from({ length: 4 }, () => {
      const socket = connect(port, '127.0.0.1').pause();
      // The second answer waits behind the first: it has no connection of its own yet.
      socket.write('GET /large HTTP/1.1\r\nHost: localhost\r\n\r\nGET /large HTTP/1.1\r\nHost: localhost\r\n\r\n');
      return socket;
    });
    const eventually = async (status: number): Promise<void> => {
      while (statusOf(await get(port, '/large')) !== status) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await eventually(503);
    expect(await isAlive(port)).toBe(true);
    for (const client of clients) client.destroy();
    await eventually(200);
  });
});
