import type { FieldProgram } from '../program.ts';

export const esbuild: FieldProgram = {
  name: 'esbuild',
  kind: 'build tool',
  work: 'its JavaScript API: a bundle with a plugin, then the synchronous transform of each module',
  command: ['node', 'build.mjs'],
};
