import type { FieldProgram } from '../program.ts';

export const mocha: FieldProgram = {
  name: 'mocha',
  kind: 'test runner',
  work: '20 test files in its own process, four of them slow',
  prepare: ['node', 'generate.mjs'],
  expected: [{ functionName: 'priceAll', count: 4 }],
  command: ['node', 'node_modules/mocha/bin/mocha.js', 'tests/*.spec.cjs', '--timeout', '20000'],
  noise: [{ pattern: / \(\d+m?s\)/g, by: '' }],
};
