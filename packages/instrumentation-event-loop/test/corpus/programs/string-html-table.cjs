'use strict';
/**
 * A page is built by string concatenation, each cell escaped by four replacements.
 * @culprit escapeHtml
 * @cause javascript gc native
 * @parent GET
 * @resource HTTPINCOMINGMESSAGE
 * @http
 */
const http = require('node:http');
const truth = require('../kit/truth.cjs');

const rows = Array.from({ length: 2000 }, (_, id) => [`<${id}>`, `"row" & 'cell' ${id}`, String(id * 7)]);

// <culprit>
function escapeHtml(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

function renderTable(table) {
  let html = '<table>';
  for (const row of table) {
    html += '<tr>';
    for (const cell of row) html += `<td>${escapeHtml(cell)}</td>`;
    html += '</tr>';
  }
  return `${html}</table>`;
}
// </culprit>

const server = http.createServer((request, response) => {
  truth.begin();
  const until = performance.now() + 400;
  let html = '';
  while (performance.now() < until) html = renderTable(rows);
  truth.end();
  response.end(html.slice(0, 200));
});

server.listen(0, '127.0.0.1', () => {
  setTimeout(() => {
    http.get({ port: server.address().port, host: '127.0.0.1', agent: false }, (response) => {
      response.resume().on('end', () => server.close());
    });
  }, 300);
});
