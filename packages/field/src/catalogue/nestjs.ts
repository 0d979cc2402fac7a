import type { FieldProgram } from '../program.ts';

const orders = Array.from({ length: 12_000 }, (_, id) => ({ id, customer: `customer-${id % 300}`, amount: id % 97 }));

export const nestjs: FieldProgram = {
  name: 'nestjs',
  kind: 'server',
  work: '12,000 entities are saved by TypeORM in sql.js, and read; its shutdown hooks',
  command: ['node', 'server.cjs'],
  withRegister: true,
  server: {
    readyPath: '/health',
    requests: [
      { method: 'POST', path: '/orders', body: orders },
      { path: '/totals', concurrent: 2 },
      { path: '/missing' },
    ],
    signal: 'SIGTERM',
  },
};
