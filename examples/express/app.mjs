import express from 'express';

function renderInvoice(items) {
  let total = 0;
  for (let i = 0; i < items; i++) total += Math.sqrt(i) * Math.random();
  return total;
}

const app = express();
app.get('/', (request, response) => response.send(String(renderInvoice(60_000_000))));
const server = app.listen(process.env.PORT ?? 3000, () => console.log(`listening on ${server.address().port}`));
