import type { FieldProgram } from '../program.ts';

export const jsonServer: FieldProgram = {
  name: 'json-server',
  kind: 'server',
  work: 'full text search, sorting and embedding over 150,000 posts; a new post writes the file',
  prepare: ['node', 'make-database.mjs'],
  command: ['node', 'node_modules/json-server/lib/cli/bin.js', 'db.json', '--port', '{port}', '--host', '127.0.0.1'],
  withRegister: true,
  server: {
    readyPath: '/comments?_limit=1',
    requests: [
      { path: '/posts?q=post+29&_limit=5' },
      { path: '/posts?_sort=body,title&_order=desc&_limit=5' },
      { path: '/posts?_embed=comments&_limit=20' },
      { method: 'POST', path: '/comments', body: { postId: 1, text: 'new' } },
    ],
    signal: 'SIGINT',
  },
};
