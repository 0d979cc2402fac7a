import type { FieldProgram } from '../program.ts';

const orders = Array.from({ length: 15_000 }, (_, id) => ({
  id,
  email: `customer-${id}@example.com`,
  lines: [
    { sku: `sku${id}`, count: 1 },
    { sku: 'other', count: 2 },
  ],
}));

export const hapi: FieldProgram = {
  name: 'hapi',
  kind: 'server',
  work: 'validation of 15,000 orders by joi; its own SIGTERM handler stops it',
  command: ['node', 'server.cjs'],
  withRegister: true,
  server: {
    readyPath: '/health',
    requests: [{ method: 'POST', path: '/orders', body: orders, concurrent: 2 }, { path: '/missing' }],
    signal: 'SIGTERM',
  },
};
