import underPressure from '@fastify/under-pressure';
import fastify from 'fastify';
import { isOverloaded } from '@loopwatch/instrumentation-event-loop';

function renderInvoice(items) {
  let total = 0;
  for (let i = 0; i < items; i++) total += Math.sqrt(i) * Math.random();
  return total;
}

const refuse = (reply) => reply.code(503).header('retry-after', '1').send({ error: 'overloaded' });
const app = fastify();
await app.register(underPressure, {
  maxHeapUsedBytes: 500_000_000,
  pressureHandler: (_request, reply) => void refuse(reply), // its own limits, which it checks once a second
  healthCheck: async () => !isOverloaded({ lagMs: 200 }), // asked at each GET /status
  exposeStatusRoute: '/status',
});
// At each request, because only that sees how long this one has waited.
app.addHook('onRequest', async (request, reply) => {
  if (request.url !== '/status' && isOverloaded({ lagMs: 200 })) return refuse(reply);
});
app.get('/', async () => String(renderInvoice(60_000_000)));
await app.listen({ port: Number(process.env.PORT ?? 3000) });
console.log(`listening on ${app.server.address().port}`);
