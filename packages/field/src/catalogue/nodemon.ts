import type { FieldProgram } from '../program.ts';

export const nodemon: FieldProgram = {
  name: 'nodemon',
  kind: 'process manager',
  work: 'a server that it starts; a regular expression that backtracks',
  expected: [{ functionName: 'search', count: 2 }],
  command: ['node', 'node_modules/nodemon/bin/nodemon.js', 'server.cjs'],
  server: {
    readyPath: '/health',
    requests: [{ path: '/search' }, { path: '/search' }],
    signal: 'SIGTERM',
  },
};
