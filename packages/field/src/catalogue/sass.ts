import type { FieldProgram } from '../program.ts';

export const sass: FieldProgram = {
  name: 'sass',
  kind: 'build tool',
  work: 'a style sheet with 18,000 generated rules; its code is compiled from Dart',
  prepare: ['node', 'generate.mjs'],
  command: ['node', 'node_modules/sass/sass.js', '--style=compressed', 'entry.scss', 'entry.css'],
};
