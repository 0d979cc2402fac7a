import type { FieldProgram } from '../program.ts';

export const rollup: FieldProgram = {
  name: 'rollup',
  kind: 'build tool',
  work: 'a bundle of lodash-es, minified by terser in a worker thread',
  command: ['node', 'node_modules/rollup/dist/bin/rollup', '--config'],
};
