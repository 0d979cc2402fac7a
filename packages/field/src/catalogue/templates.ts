import type { FieldProgram } from '../program.ts';

export const templates: FieldProgram = {
  name: 'templates',
  kind: 'server',
  work: 'pages of 60,000 rows by Handlebars, Nunjucks and Pug',
  command: ['node', 'server.cjs'],
  server: {
    readyPath: '/health',
    requests: [{ path: '/handlebars' }, { path: '/nunjucks' }, { path: '/pug', concurrent: 2 }],
    signal: 'SIGTERM',
  },
};
