import type { FieldProgram } from '../program.ts';

export const workerpool: FieldProgram = {
  name: 'workerpool',
  kind: 'pool',
  work: 'a function sent to worker threads, then to child processes',
  expected: [{ functionName: 'countPrimes', count: 8 }],
  command: ['node', 'pool.cjs'],
};
