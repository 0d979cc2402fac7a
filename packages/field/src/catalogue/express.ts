import type { FieldProgram } from '../program.ts';

const orders = Array.from({ length: 120_000 }, (_, id) => ({
  id,
  customer: `customer-${id % 500}`,
  lines: [{ sku: `sku-${id}`, price: id % 97 }],
}));

export const express: FieldProgram = {
  name: 'express',
  kind: 'server',
  work: 'a page of 150,000 rows by EJS, a body of 8 MB, a large JSON answer with compression',
  command: ['node', 'server.cjs'],
  withRegister: true,
  server: {
    readyPath: '/health',
    requests: [
      { path: '/health' },
      { path: '/table' },
      { method: 'POST', path: '/orders', body: orders },
      { path: '/rows', concurrent: 3 },
    ],
    signal: 'SIGTERM',
  },
};
