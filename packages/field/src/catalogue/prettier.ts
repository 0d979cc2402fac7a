import type { FieldProgram } from '../program.ts';

export const prettier: FieldProgram = {
  name: 'prettier',
  kind: 'build tool',
  work: 'the 640 files of lodash',
  prepare: ['node', 'copy-lodash.mjs'],
  command: ['node', 'node_modules/prettier/bin/prettier.cjs', 'source', '--list-different'],
  exitCode: 1,
};
