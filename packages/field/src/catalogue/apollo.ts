import type { FieldProgram } from '../program.ts';

export const apollo: FieldProgram = {
  name: 'apollo',
  kind: 'server',
  work: 'a resolver that searches 12,000 logs for each of them',
  command: ['node', 'server.mjs'],
  withRegister: true,
  server: {
    readyPath: '/?query=%7B__typename%7D',
    requests: [
      { method: 'POST', path: '/', body: { query: '{ logs(first: 9000) { id depth parent { text } } }' } },
      { method: 'POST', path: '/', body: { query: '{ logs(first: 3000) { id depth } }' }, concurrent: 3 },
    ],
    signal: 'SIGINT',
  },
};
