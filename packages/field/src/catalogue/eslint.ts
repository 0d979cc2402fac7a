import type { FieldProgram } from '../program.ts';

export const eslint: FieldProgram = {
  name: 'eslint',
  kind: 'build tool',
  work: 'five rules over the 640 files of lodash',
  prepare: ['node', 'copy-lodash.mjs'],
  command: ['node', 'node_modules/eslint/bin/eslint.js', 'source'],
};
