import { createServer } from 'node:http';
import { isOverloaded } from '@loopwatch/instrumentation-event-loop';

function renderInvoice(items) {
  let total = 0;
  for (let i = 0; i < items; i++) total += Math.sqrt(i) * Math.random();
  return total;
}

const server = createServer((request, response) => {
  // First of all: a request that has waited for longer than its client does is not worth its work.
  if (isOverloaded({ lagMs: 200 })) {
    response.writeHead(503, { 'retry-after': '1' }).end('overloaded\n');
    return;
  }
  response.end(String(renderInvoice(60_000_000)));
});
server.listen(process.env.PORT ?? 3000, () => console.log(`listening on ${server.address().port}`));
