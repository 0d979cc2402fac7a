import type { FieldProgram } from '../program.ts';

export const browserify: FieldProgram = {
  name: 'browserify',
  kind: 'build tool',
  work: 'a bundle of lodash, minified by UglifyJS',
  command: ['node', 'build.cjs'],
};
