import type { FieldProgram } from '../program.ts';

export const tsx: FieldProgram = {
  name: 'tsx',
  kind: 'process manager',
  work: 'a server in TypeScript that blocks',
  expected: [{ functionName: 'depthsOf', count: 2 }],
  command: ['node', 'node_modules/tsx/dist/cli.mjs', 'server.ts'],
  sourceMapped: true,
  server: {
    readyPath: '/health',
    requests: [{ path: '/depths' }, { path: '/depths' }],
    signal: 'SIGTERM',
  },
};
