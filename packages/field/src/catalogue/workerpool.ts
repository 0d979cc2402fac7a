import type { FieldProgram } from '../program.ts';

export const workerpool: FieldProgram = {
  name: 'workerpool',
  kind: 'pool',
  work: 'a function sent to worker threads, then to child processes',
  // The function is sent as text: it has the place of the call that evaluates it. A worker that gets its next task while
  // Node.js still handles the messages of an iteration computes both in one block.
  expected: [{ functionName: 'countPrimes', count: 6 }],
  command: ['node', 'pool.cjs'],
};
