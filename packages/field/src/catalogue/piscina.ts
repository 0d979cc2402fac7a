import type { FieldProgram } from '../program.ts';

export const piscina: FieldProgram = {
  name: 'piscina',
  kind: 'pool',
  work: 'nine synchronous tasks in a pool with its defaults',
  expected: [{ functionName: 'compress', count: 9 }],
  command: ['node', 'pool.mjs'],
};
