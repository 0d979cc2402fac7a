import type { FieldProgram } from '../program.ts';

export const ava: FieldProgram = {
  name: 'ava',
  kind: 'test runner',
  work: '20 test files in worker threads, four of them slow',
  prepare: ['node', 'generate.mjs'],
  expected: [{ functionName: 'priceAll', count: 4 }],
  command: ['node', 'node_modules/ava/entrypoints/cli.mjs'],
  noise: [{ pattern: / \(\d+(?:\.\d+)?m?s\)/g, by: '' }],
  unordered: true,
};
