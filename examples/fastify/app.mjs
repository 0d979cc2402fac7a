import fastify from 'fastify';

function renderInvoice(items) {
  let total = 0;
  for (let i = 0; i < items; i++) total += Math.sqrt(i) * Math.random();
  return total;
}

const app = fastify();
app.get('/', async () => String(renderInvoice(60_000_000)));
await app.listen({ port: Number(process.env.PORT ?? 3000) });
console.log(`listening on ${app.server.address().port}`);
