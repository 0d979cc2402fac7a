import type { FieldProgram } from '../program.ts';

const rows = Array.from({ length: 40_000 }, (_, id) => ({ id, name: `row ${id}`, tags: ['a', 'b'] }));

export const nodeRed: FieldProgram = {
  name: 'node-red',
  kind: 'heavy server',
  work: 'a flow whose function node computes, and one that formats JSON',
  command: ['node', 'node_modules/node-red/red.js', '--settings', 'settings.cjs'],
  withRegister: true,
  server: {
    readyPath: '/health',
    requests: [
      { path: '/totals', concurrent: 2 },
      { method: 'POST', path: '/parse', body: rows },
    ],
    signal: 'SIGINT',
  },
};
