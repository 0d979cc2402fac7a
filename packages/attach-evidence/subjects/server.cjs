'use strict';
// A server that does some work for each request and keeps connections open. Prints its port.
const http = require('node:http');

const orders = Array.from({ length: 40 }, (_, id) => ({ id, lines: [{ sku: `sku-${id}`, amount: id % 9 }] }));

const server = http.createServer(async (request, response) => {
  await null;
  const open = orders.filter(({ lines }) => lines.some(({ amount }) => amount > 2));
  response.setHeader('content-type', 'application/json').end(JSON.stringify(open));
});
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
