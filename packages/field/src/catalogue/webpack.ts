import type { FieldProgram } from '../program.ts';

export const webpack: FieldProgram = {
  name: 'webpack',
  kind: 'build tool',
  work: 'a minified bundle of lodash-es with its source map',
  command: ['node', 'node_modules/webpack/bin/webpack.js'],
};
