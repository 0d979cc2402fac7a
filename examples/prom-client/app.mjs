import { createServer } from 'node:http';
import { register } from 'prom-client';

function renderInvoice(items) {
  let total = 0;
  for (let i = 0; i < items; i++) total += Math.sqrt(i) * Math.random();
  return total;
}

const server = createServer(async (request, response) => {
  if (request.url === '/metrics') response.end(await register.metrics());
  else response.end(String(renderInvoice(60_000_000)));
});
server.listen(process.env.PORT ?? 3000, () => console.log(`listening on ${server.address().port}`));
