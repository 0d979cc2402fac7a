import { createServer } from 'node:http';
import { Queue, QueueEvents, Worker } from 'bullmq';

function renderInvoice(items) {
  let total = 0;
  for (let i = 0; i < items; i++) total += Math.sqrt(i) * Math.random();
  return total;
}

const connection = { url: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379' };
const queue = new Queue('invoices', { connection });
const events = new QueueEvents('invoices', { connection });
// The job blocks the process of the worker: here the server's, elsewhere a process of its own.
new Worker('invoices', async (job) => renderInvoice(job.data.items), { connection });

const server = createServer(async (request, response) => {
  const job = await queue.add('invoice', { items: 60_000_000 });
  response.end(String(await job.waitUntilFinished(events)));
});
server.listen(process.env.PORT ?? 3000, () => console.log(`listening on ${server.address().port}`));
