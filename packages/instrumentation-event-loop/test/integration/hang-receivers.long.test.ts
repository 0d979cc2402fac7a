import { readFileSync } from 'node:fs';
import net from 'node:net';

import { expect, test } from '@jest/globals';

import { expectKilled, runHang } from './hang-support.ts';
import { node24 } from './thread-support.ts';

const RUN_MS = 120_000;
const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
const LATER = 'HTTP/1.1 429 Too Many Requests\r\nconnection: close\r\ncontent-length: 0\r\n';

/** What a receiver does with each connection, and how many requests a hang of that length may make at most. */
const receivers: [label: string, answer: (socket: net.Socket) => void, mostRequests: number, scheme?: string][] = [
  ['never ends its answer', drip, RUN_MS / 2000 + 10],
  ['answers garbage', (socket) => socket.end('220 smtp.example.org\r\n'), 12],
  ['asks to wait for 60 s', (socket) => socket.end(`${LATER}retry-after: 60\r\n\r\n`), 4],
  ['asks to wait until a date', (socket) => socket.end(`${LATER}retry-after: ${inOneMinute()}\r\n\r\n`), 4],
  ['resets the connection', (socket) => socket.resetAndDestroy(), 12],
  ['does not read', (socket) => socket.pause(), 12],
  ['does not speak TLS', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'), 12, 'https'],
];

function drip(socket: net.Socket): void {
  socket.write(OK);
  const timer = setInterval(() => socket.write('1\r\nx\r\n'), 100);
  socket.on('close', () => {
    clearInterval(timer);
  });
}

/** As the kernel sees them at the sender: a receiver that does not read does not know which are closed. */
function openConnectionsTo(port: number): number {
  const ESTABLISHED = '01';
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , remote, state]) => remote?.endsWith(`:${hexPort}`) && state === ESTABLISHED).length;
}

function inOneMinute(): string {
  return new Date(Date.now() + 60_000).toUTCString();
}

// Side by side, each with a program that sleeps in `execSync`: they cost no CPU.
test.concurrent.each(receivers)(
  'a hang of two minutes costs a receiver that %s one connection at a time and few requests',
  async (_label, answer, mostRequests, scheme = 'http') => {
    const open = new Set<net.Socket>();
    let [connections, mostOpen] = [0, 0];
    const server = net.createServer((socket) => {
      connections++;
      open.add(socket);
      mostOpen = Math.max(mostOpen, openConnectionsTo(socket.localPort!));
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
      socket.resume();
      answer(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `${scheme}://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
    try {
      const result = await runHang(
        node24,
        { way: 'execSync' },
        { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_TIMEOUT: '2000' },
        { onStart: (child) => void setTimeout(() => child.kill('SIGKILL'), RUN_MS), timeoutMs: RUN_MS * 2 },
      );
      expectKilled(result);
      expect(connections).toBeGreaterThan(1);
      expect(connections).toBeLessThanOrEqual(mostRequests);
      expect(mostOpen).toBe(1);
    } finally {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    }
  },
  RUN_MS * 2,
);
