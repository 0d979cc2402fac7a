import type { FieldProgram } from '../program.ts';

export const pm2: FieldProgram = {
  name: 'pm2',
  kind: 'process manager',
  work: 'pm2-runtime with two processes of a server in cluster mode',
  expected: [{ functionName: 'search', count: 3 }],
  command: ['node', 'node_modules/pm2/bin/pm2-runtime', 'server.cjs', '-i', '2'],
  noise: [{ pattern: /application online, retry/ }, { pattern: /pid=\d+|\bpid:? ?\d+|\[\d+\]/g, by: '<pid>' }],
  unordered: true,
  server: {
    readyPath: '/health',
    requests: [{ path: '/search' }, { path: '/search' }, { path: '/search', concurrent: 2 }],
    signal: 'SIGINT',
  },
};
