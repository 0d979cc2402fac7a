import type { FieldProgram } from '../program.ts';

export const vitest: FieldProgram = {
  name: 'vitest',
  kind: 'test runner',
  work: '20 test files in two processes, four of them slow',
  prepare: ['node', 'generate.mjs'],
  expected: [{ functionName: 'priceAll', count: 4 }],
  command: ['node', 'node_modules/vitest/vitest.mjs', 'run', '--maxWorkers=2', '--testTimeout=60000', '--reporter=dot'],
  noise: [{ pattern: /^ *(?:Duration|Start at)/ }],
  unordered: true,
};

export const vitestThreads: FieldProgram = {
  ...vitest,
  name: 'vitest-threads',
  packagesOf: 'vitest',
  work: 'the same files in two worker threads (`--pool threads`)',
  command: [...vitest.command, '--pool', 'threads'],
};
