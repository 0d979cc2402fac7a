import type { FieldProgram } from '../program.ts';

export const jasmine: FieldProgram = {
  name: 'jasmine',
  kind: 'test runner',
  work: '20 test files in its own process, four of them slow',
  prepare: ['node', 'generate.mjs'],
  expected: [{ functionName: 'priceAll', count: 4 }],
  command: ['node', 'node_modules/jasmine/bin/jasmine.js', 'tests/*.spec.cjs', '--random=false'],
};
