import type { FieldProgram } from '../program.ts';

export const poolifier: FieldProgram = {
  name: 'poolifier',
  kind: 'pool',
  work: 'eight synchronous tasks in a fixed pool of two worker threads',
  // Each worker gets its four tasks at once, and Node.js calls a port's listener for all of them in one iteration.
  expected: [{ functionName: 'sieve', count: 2 }],
  command: ['node', 'pool.mjs'],
};
