import type { FieldProgram } from '../program.ts';

export const babel: FieldProgram = {
  name: 'babel',
  kind: 'build tool',
  work: 'preset-env over the 640 modules of lodash-es',
  prepare: ['node', 'copy-lodash.mjs'],
  command: ['node', 'node_modules/@babel/cli/bin/babel.js', 'source', '--out-dir', 'out'],
};
