import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { z } from 'zod';

const Order = z.object({
  id: z.number().int(),
  email: z.email(),
  lines: z.array(z.object({ sku: z.string().regex(/^[a-z]+-\d+$/), count: z.number().positive() })).min(1),
});
const orders = new Map();

const app = new Hono();
app.get('/health', (context) => context.text('ok'));
app.post('/orders', async (context) => {
  const parsed = z.array(Order).safeParse(await context.req.json());
  if (!parsed.success) return context.json({ issues: parsed.error.issues.length }, 400);
  for (const order of parsed.data) orders.set(order.id, order);
  return context.json({ stored: orders.size }, 201);
});
app.get('/orders', (context) => context.json([...orders.values()]));

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' });
