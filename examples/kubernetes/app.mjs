import { createServer } from 'node:http';

function renderInvoice(items) {
  let total = 0;
  for (let i = 0; i < items; i++) total += Math.sqrt(i) * Math.random();
  return total;
}

const server = createServer((request, response) => {
  response.end(String(renderInvoice(60_000_000)));
});
server.listen(process.env.PORT ?? 3000, () => console.log(`listening on ${server.address().port}`));
