'use strict';
// A server that does some work for each request and keeps connections open. Prints its port. On SIGUSR2 it starts a
// worker thread and opens a connection, on the next one it ends both.
const http = require('node:http');
const net = require('node:net');
const { Worker } = require('node:worker_threads');

const orders = Array.from({ length: 40 }, (_, id) => ({ id, lines: [{ sku: `sku-${id}`, amount: id % 9 }] }));

const server = http.createServer(async (request, response) => {
  await null;
  const open = orders.filter(({ lines }) => lines.some(({ amount }) => amount > 2));
  response.setHeader('content-type', 'application/json').end(JSON.stringify(open));
});
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));

let worker;
let connection;
process.on('SIGUSR2', () => {
  if (worker) {
    void worker.terminate();
    connection.destroy();
    worker = undefined;
    return;
  }
  worker = new Worker('setInterval(() => {}, 1000)', { eval: true });
  connection = net.connect(server.address().port, '127.0.0.1');
});
