import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { AttachConnections } from '../../src/cli/inspect/attach/attach-connections.js';

const testOnLinux = process.platform === 'linux' ? test : test.skip;

let connections: AttachConnections;
let events: unknown[];
const sockets: Socket[] = [];
beforeEach(async () => {
  events = [];
  connections = await AttachConnections.listen({
    onWorkerProblem: (...problem) => events.push(problem),
    onProcessEnd: (...end) => events.push(end),
  });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await connections.end(() => true);
});

const isAlive = (): boolean => false;

/** A connection of this process, with what it has received. */
async function connected(): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(connections.address.port, '127.0.0.1');
  sockets.push(socket);
  let received = '';
  socket.on('data', (data) => (received += data.toString()));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return { socket, received: () => received };
}

test('a process that ends before it is watched is said to have ended, not to be left as it was', async () => {
  await expect(connections.begun(4711, false, () => true)).rejects.toThrow('Process 4711 ended before it was watched.');
});

test('a process that has not connected in time may be blocked, and is not said to be as it was', async () => {
  const begun = connections.begun(4711, false, () => false);
  await expect(begun).rejects.toThrow(
    /^Process 4711 has not connected .* main thread is blocked, or .* is not watched/,
  );
}, 10_000);

testOnLinux('a process that was not attached to cannot connect', async () => {
  connections.expect(process.ppid);
  const { socket, received } = await connected();
  await once(socket, 'close');
  expect([received(), connections.isEmpty]).toEqual(['', true]);
});

testOnLinux('what a process sends that is no message is left out, of any size', async () => {
  connections.expect(process.pid);
  const { socket, received } = await connected();
  const garbage = [
    '',
    'null',
    '[]',
    '{"type":"ready","workers":-1,"pending":0}',
    '{"type":"ready","workers":1e99,"pending":0}',
    '{"type":"exit","code":"0"}',
    '{"type":"workerProblem","threadId":{},"problem":"x"}',
    '{"type":"workerProblem","threadId":1,"problem":{"toString":1}}',
    '{"__proto__":{"type":"exit","code":7}}',
    '['.repeat(100_000),
    `{"type":"exit","code":3${' '.repeat(200_000)}}`,
  ];
  socket.write(`${garbage.join('\n')}\n`);
  for (let i = 0; i < 300; i++) {
    socket.write(`${JSON.stringify({ type: 'workerProblem', threadId: i, problem: 'x'.repeat(1000) })}\n`);
  }
  socket.write('{"type":"ready","workers":2,"pending":1}\n');
  await expect(connections.begun(process.pid, false, isAlive)).resolves.toMatchObject({ workers: 2, pending: 1 });
  expect(received()).toBe(connections.address.greeting);
  expect(events).toHaveLength(100);
  expect(events[0]).toEqual([process.pid, 0, 'x'.repeat(500)]);
  socket.destroy();
  while (events.length === 100) await sleep(5);
  expect(events.at(-1)).toEqual([process.pid, undefined]);
});

testOnLinux('one that is blocked and has not connected is waited for, and its end is seen', async () => {
  let hasEnded = false;
  connections.expect(process.pid);
  await expect(connections.begun(process.pid, true, () => hasEnded)).resolves.toEqual({ workers: 0, pending: 0 });
  expect(connections.isEmpty).toBe(false);
  const ended = connections.ended();
  hasEnded = true;
  await ended;
  expect(events).toEqual([[process.pid, undefined]]);
});
