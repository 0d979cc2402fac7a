import { connect, createServer, Server, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { freePort } from '@loopwatch/test-support/free-port';
import type { LivenessProblem, LivenessSettings } from '../../../src/contract/liveness-data.js';
import type { MainThreadBlock } from '../../../src/liveness/liveness-answer.js';
import { LivenessServer } from '../../../src/liveness/liveness-server.js';

let block: MainThreadBlock;
let problems: LivenessProblem[] = [];
let server: LivenessServer | undefined;

afterEach(() => {
  server?.close();
  server = undefined;
  problems = [];
  jest.useRealTimers();
});

function settings(port: number, livenessThresholdMs = 1000): LivenessSettings {
  return { host: '127.0.0.1', port, livenessThresholdMs, readinessThresholdMs: 500 };
}

function start(port: number): LivenessServer {
  block = { blockedMs: 0 };
  server = new LivenessServer(
    () => block,
    (problem) => problems.push(problem),
  );
  server.setSettings(settings(port));
  return server;
}

async function livez(port: number, route = '/livez'): Promise<{ status: number; body: unknown } | 'refused'> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${route}`);
    return { status: response.status, body: await response.json() };
  } catch {
    return 'refused';
  }
}

function waitFor(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve) => {
    socket.once(event, () => {
      resolve();
    });
  });
}

test('an HTTP client gets the present state at each request', async () => {
  const port = await freePort();
  start(port);
  await expect(livez(port)).resolves.toEqual({ status: 200, body: { status: 'ok', blockedMs: 0 } });
  block = { blockedMs: 5000, culprit: 'spin (/app/a.js:1:2)' };
  await expect(livez(port)).resolves.toEqual({
    status: 503,
    body: { status: 'blocked', blockedMs: 5000, culprit: 'spin (/app/a.js:1:2)' },
  });
});

test('a block between the two thresholds is alive and not ready', async () => {
  const port = await freePort();
  start(port);
  block = { blockedMs: 700 };
  await expect(livez(port)).resolves.toEqual({ status: 200, body: { status: 'ok', blockedMs: 700 } });
  await expect(livez(port, '/readyz')).resolves.toEqual({ status: 503, body: { status: 'blocked', blockedMs: 700 } });
});

test('a request that arrives in pieces is answered once', async () => {
  const port = await freePort();
  start(port);
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let answer = '';
  socket.on('data', (text: string) => (answer += text));
  socket.on('error', () => undefined); // the last piece may arrive after the end
  const closed = waitFor(socket, 'close');
  for (const piece of ['GET /li', 'vez HTTP/1.1\r\n', 'host: x\r\n\r', '\n', 'more']) {
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await closed;
  expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(1);
});

test('a request without end is closed', async () => {
  const port = await freePort();
  start(port);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const closed = waitFor(socket, 'close');
  socket.write('x'.repeat(20_000));
  await closed;
  await expect(livez(port)).resolves.toMatchObject({ status: 200 });
});

test('a request is answered while any number of others never end', async () => {
  const port = await freePort();
  start(port);
  const slow = Array.from({ length: 300 }, () => connect(port, '127.0.0.1'));
  for (const socket of slow) socket.on('error', () => undefined); // it makes room for a newer one
  await Promise.all(slow.map((socket) => waitFor(socket, 'connect')));
  for (const socket of slow) socket.write('GET /li');
  await expect(livez(port)).resolves.toMatchObject({ status: 200 });
  for (const socket of slow) socket.destroy();
});

test('a client that sends a byte now and then is closed, too', async () => {
  const port = await freePort();
  start(port);
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance'] });
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const state = { isClosed: false };
  socket.once('close', () => (state.isClosed = true));
  await waitFor(socket, 'connect');
  const deadline = Date.now() + 60_000;
  while (!state.isClosed && Date.now() < deadline) {
    socket.write('x');
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    jest.advanceTimersByTime(1000);
  }
  // One more second for the connection that the server had not yet accepted.
  expect(deadline - Date.now()).toBeGreaterThan(60_000 - 8000);
});

test('an error of the server that listens is no problem of its port', async () => {
  const listen = jest.spyOn(Server.prototype, 'listen');
  const port = await freePort();
  listen.mockClear();
  start(port);
  await expect(livez(port)).resolves.toMatchObject({ status: 200 });
  const [listening] = listen.mock.contexts as Server[];
  listening!.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
  await expect(livez(port)).resolves.toMatchObject({ status: 200 });
  expect(problems).toEqual([]);
  listen.mockRestore();
});

test('a hundred requests at the same time are answered', async () => {
  const port = await freePort();
  start(port);
  const answers = await Promise.all(Array.from({ length: 100 }, () => livez(port)));
  expect(new Set(answers.map((answer) => (answer === 'refused' ? answer : answer.status)))).toEqual(new Set([200]));
});

test('a new threshold applies without a new socket, a new port at once, and without settings nothing listens', async () => {
  const [port, other] = [await freePort(), await freePort()];
  const changing = start(port);
  block = { blockedMs: 5000 };
  changing.setSettings(settings(port, 9000));
  await expect(livez(port)).resolves.toMatchObject({ status: 200 });
  changing.setSettings(settings(other));
  await expect(livez(port)).resolves.toBe('refused');
  await expect(livez(other)).resolves.toMatchObject({ status: 503 });
  changing.setSettings(undefined);
  await expect(livez(other)).resolves.toBe('refused');
  expect(problems).toEqual([]);
});

describe('a port in use', () => {
  test('is reported once, and is taken when it is free', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as AddressInfo;
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance'] });
    start(port);
    const turns = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    };
    await turns();
    jest.advanceTimersByTime(5000);
    await turns();
    jest.useRealTimers();
    expect(problems).toEqual([
      {
        isPortInUse: true,
        livenessProblem: expect.stringContaining(`Expected to answer GET /livez and /readyz on 127.0.0.1 port`),
      },
    ]);
    await new Promise((resolve) => holder.close(resolve));
  });

  test('does not end the attempts to listen on another one', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const [taken, free] = [(holder.address() as AddressInfo).port, await freePort()];
    const changing = start(taken);
    await new Promise((resolve) => setTimeout(resolve, 20));
    changing.setSettings(settings(free));
    await expect(livez(free)).resolves.toMatchObject({ status: 200 });
    await new Promise((resolve) => holder.close(resolve));
  });
});

test('a host that is no address of this machine is reported', async () => {
  server = new LivenessServer(
    () => ({ blockedMs: 0 }),
    (problem) => problems.push(problem),
  );
  server.setSettings({ ...settings(await freePort()), host: '192.0.2.1' });
  while (problems.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(problems).toMatchObject([{ isPortInUse: false }]);
});
