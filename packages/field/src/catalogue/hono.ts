import type { FieldProgram } from '../program.ts';

const orders = Array.from({ length: 60_000 }, (_, id) => ({
  id,
  email: `customer${id}@example.com`,
  lines: [{ sku: `sku-${id}`, count: 1 + (id % 5) }],
}));

export const hono: FieldProgram = {
  name: 'hono',
  kind: 'server',
  work: 'validation of 60,000 orders by zod, and of orders that are not valid',
  command: ['node', 'server.mjs'],
  withRegister: true,
  server: {
    readyPath: '/health',
    requests: [
      { method: 'POST', path: '/orders', body: orders },
      { method: 'POST', path: '/orders', body: orders.map(({ id, lines }) => ({ id, lines })) },
      { path: '/orders', concurrent: 2 },
    ],
    signal: 'SIGINT',
  },
};
