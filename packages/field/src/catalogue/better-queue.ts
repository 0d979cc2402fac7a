import type { FieldProgram } from '../program.ts';

export const betterQueue: FieldProgram = {
  name: 'better-queue',
  kind: 'job queue',
  work: 'eight jobs, four of them long, with its store in memory',
  expected: [{ functionName: 'priceJob', count: 4 }],
  command: ['node', 'queue.cjs'],
};
