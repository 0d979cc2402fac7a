'use strict';
/**
 * Ten requests at once, one of which renders a large report: the block belongs under that one's server span.
 * @culprit renderReport
 * @cause javascript gc
 * @parent GET
 * @resource HTTPINCOMINGMESSAGE
 * @http
 */
const http = require('node:http');
const truth = require('../kit/truth.cjs');

const entries = Array.from({ length: 3000 }, (_, id) => ({ id, amount: (id * 37) % 1000, customer: `c-${id % 40}` }));

// <culprit>
function renderReport(list) {
  const byCustomer = {};
  for (const { customer, amount } of list) {
    byCustomer[customer] ??= { count: 0, sum: 0, lines: [] };
    byCustomer[customer].count += 1;
    byCustomer[customer].sum += amount;
    byCustomer[customer].lines.push(`${customer}: ${amount.toFixed(2)}`);
  }
  return byCustomer;
}
// </culprit>

const server = http.createServer((request, response) => {
  if (request.url !== '/report') {
    setTimeout(() => response.end('quick'), 20);
    return;
  }
  truth.begin();
  const until = performance.now() + 400;
  while (performance.now() < until) renderReport(entries);
  truth.end();
  response.end('report');
});

function get(path) {
  return new Promise((resolve) => {
    http.get({ port: server.address().port, host: '127.0.0.1', agent: false, path }, (response) => {
      response.resume().on('end', resolve);
    });
  });
}

server.listen(0, '127.0.0.1', () => {
  setTimeout(async () => {
    await Promise.all(Array.from({ length: 10 }, (_, index) => get(index === 6 ? '/report' : '/quick')));
    server.close();
  }, 300);
});
