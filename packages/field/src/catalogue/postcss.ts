import type { FieldProgram } from '../program.ts';

export const postcss: FieldProgram = {
  name: 'postcss',
  kind: 'build tool',
  work: 'Autoprefixer and cssnano over the style sheets of Bootstrap',
  command: [
    'node',
    'node_modules/postcss-cli/index.js',
    'node_modules/bootstrap/dist/css/*.css',
    '--dir',
    'out',
    '--no-map',
  ],
};
