const compression = require('compression');
const ejs = require('ejs');
const express = require('express');

const template = ejs.compile(
  '<table><% for (const row of rows) { %><tr><td><%= row.id %></td><td><%= row.name %></td><td><%- format(row) %></td></tr><% } %></table>',
);
const rows = Array.from({ length: 150_000 }, (_, id) => ({ id, name: `<item ${id} & more>`, price: id * 1.01 }));

const app = express();
app.use(compression());
app.use(express.json({ limit: '50mb' }));
app.get('/health', (request, response) => response.send('ok'));
app.get('/table', (request, response) => {
  response.send(template({ rows, format: (row) => row.price.toFixed(2) }));
});
app.post('/orders', (request, response) => {
  const totals = {};
  for (const order of request.body) {
    totals[order.customer] = (totals[order.customer] ?? 0) + order.lines.reduce((sum, line) => sum + line.price, 0);
  }
  response.json({ customers: Object.keys(totals).length, orders: request.body.length });
});
app.get('/rows', (request, response) => response.json(rows));
app.listen(process.env.PORT, '127.0.0.1');
