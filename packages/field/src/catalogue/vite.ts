import type { FieldProgram } from '../program.ts';

export const vite: FieldProgram = {
  name: 'vite',
  kind: 'build tool',
  work: 'a production build with all of lodash-es',
  command: ['node', 'node_modules/vite/bin/vite.js', 'build'],
};
