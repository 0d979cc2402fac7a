import type { FieldProgram } from '../program.ts';

const events = Array.from({ length: 100_000 }, (_, id) => ({
  id,
  kind: 'changed',
  tags: Array.from({ length: 6 }, (__, tag) => `tag-${id}-${tag}`),
}));

export const fastify: FieldProgram = {
  name: 'fastify',
  kind: 'server',
  work: 'validation of 100,000 events by their schema, an answer of 300,000 objects by its schema',
  command: ['node', 'server.mjs'],
  withRegister: true,
  server: {
    readyPath: '/health',
    requests: [
      { method: 'POST', path: '/events', body: events },
      { path: '/events', concurrent: 2 },
      { method: 'POST', path: '/events', body: [{ id: 'wrong' }] },
    ],
    signal: 'SIGINT',
  },
};
