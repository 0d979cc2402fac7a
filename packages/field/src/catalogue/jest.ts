import type { FieldProgram, OutputNoise } from '../program.ts';

/** How long a file took is shown only when it took long. */
const slowMarks: readonly OutputNoise[] = [{ pattern: / \(\d+(?:\.\d+)? m?s\)/g, by: '' }];

const jestEntry = 'node_modules/jest/bin/jest.js';

export const jest: FieldProgram = {
  name: 'jest',
  kind: 'test runner',
  work: '20 test files in two processes, four of them slow',
  prepare: ['node', 'generate.mjs'],
  expected: [{ functionName: 'priceAll', count: 4 }],
  command: ['node', jestEntry, '--maxWorkers=2', '--testTimeout=60000'],
  noise: slowMarks,
  unordered: true,
};

export const jestThreads: FieldProgram = {
  ...jest,
  name: 'jest-threads',
  packagesOf: 'jest',
  work: 'the same files in two worker threads (`--workerThreads`)',
  command: ['node', jestEntry, '--maxWorkers=2', '--testTimeout=60000', '--workerThreads'],
};
