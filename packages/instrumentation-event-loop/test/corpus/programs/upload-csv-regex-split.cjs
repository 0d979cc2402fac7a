'use strict';
/**
 * An upload of a CSV file is split by a regular expression that looks ahead for an even number of quotes.
 * @culprit parseCsv
 * @cause native
 * @parent POST
 * @http
 */
const http = require('node:http');
const truth = require('../kit/truth.cjs');

// <culprit>
function parseCsv(text) {
  return text.split('\n').map((line) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/));
}
// </culprit>

const row = Array.from({ length: 40 }, (_, column) => (column % 3 === 0 ? `"cell, ${column}"` : `cell ${column}`));
const upload = Array.from({ length: 2500 }, () => row.join(',')).join('\n');

const server = http.createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    truth.begin();
    const until = performance.now() + 400;
    let rows = [];
    while (performance.now() < until) rows = parseCsv(body);
    truth.end();
    response.end(String(rows.length));
  });
});

server.listen(0, '127.0.0.1', () => {
  setTimeout(() => {
    const options = { port: server.address().port, host: '127.0.0.1', method: 'POST', agent: false };
    const request = http.request(options, (response) => response.resume().on('end', () => server.close()));
    request.end(upload);
  }, 300);
});
