import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { WebSocketServer } from 'ws';

import { attachToWorkers } from '../../src/cli/inspect/inspector/worker-threads.js';
import {
  ConnectionClosed,
  connectInspector,
  NoAnswer,
  ProcessEnds,
} from '../../src/cli/inspect/inspector/inspector-client.js';

let server: WebSocketServer;
let url: string;
beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  for (const client of server.clients) client.terminate();
  server.close();
});

async function connectClosed(): Promise<Awaited<ReturnType<typeof connectInspector>>> {
  const client = await connectInspector(url);
  for (const socket of server.clients) socket.terminate();
  await expect(client.call('Runtime.enable', {}, 60_000)).rejects.toBeInstanceOf(ConnectionClosed);
  return client;
}

test('a call when the inspector has closed the connection is not taken for a thread that does not answer', async () => {
  const client = await connectClosed();
  await expect(client.call('Runtime.evaluate', {}, 10)).rejects.toBeInstanceOf(ConnectionClosed);
  await client.close();
});

test('a call without an answer fails after its time', async () => {
  const client = await connectInspector(url);
  await expect(client.call('Runtime.evaluate', {}, 10)).rejects.toBeInstanceOf(NoAnswer);
  await client.close();
});

test('an inspector that is gone closes the connection at once', async () => {
  server.close();
  await expect(connectInspector(url)).rejects.toBeInstanceOf(ConnectionClosed);
});

test('a process that ends is left at once, because it waits for its sessions, and is asked nothing more', async () => {
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      const { method } = JSON.parse((data as Buffer).toString()) as { method: string };
      // Node.js says so to those sessions alone that have asked for it.
      if (method === 'NodeRuntime.notifyWhenWaitingForDisconnect')
        socket.send(JSON.stringify({ method: 'NodeRuntime.waitingForDisconnect', params: {} }));
    });
  });
  const client = await connectInspector(url);
  await expect(client.call('Runtime.evaluate', {}, 60_000)).rejects.toBeInstanceOf(ProcessEnds);
  await expect(client.call('Runtime.evaluate', {}, 60_000)).rejects.toBeInstanceOf(ProcessEnds);
  await client.close();
});

test.each([undefined, null, 5, 'text', [], {}, { workerInfo: null, message: 5 }])(
  'an event with the parameters %j closes the connection, and throws nothing',
  async (params) => {
    server.on('connection', (socket) => {
      socket.on('message', (data) => {
        for (const method of ['attachedToWorker', 'receivedMessageFromWorker'])
          socket.send(JSON.stringify({ method: `NodeWorker.${method}`, params }));
        socket.send(JSON.stringify({ id: (JSON.parse((data as Buffer).toString()) as { id: number }).id, result: {} }));
      });
    });
    const client = await connectInspector(url);
    expect(await attachToWorkers(client, 1000).catch(() => [])).toEqual([]);
    await expect(client.call('Runtime.enable', {}, 60_000)).rejects.toBeInstanceOf(ConnectionClosed);
    await client.close();
  },
);
