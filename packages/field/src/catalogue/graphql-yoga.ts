import type { FieldProgram } from '../program.ts';

export const graphqlYoga: FieldProgram = {
  name: 'graphql-yoga',
  kind: 'server',
  work: 'nested queries over 12,000 orders, a query with an error',
  command: ['node', 'server.mjs'],
  withRegister: true,
  server: {
    readyPath: '/graphql?query=%7B__typename%7D',
    requests: [
      { method: 'POST', path: '/graphql', body: { query: '{ customers { id name orders { id amount } } }' } },
      { method: 'POST', path: '/graphql', body: { query: '{ orders { id customer { name } } }' }, concurrent: 3 },
      { method: 'POST', path: '/graphql', body: { query: '{ unknown }' } },
    ],
    signal: 'SIGTERM',
  },
};
