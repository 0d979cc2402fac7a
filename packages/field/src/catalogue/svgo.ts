import type { FieldProgram } from '../program.ts';

export const svgo: FieldProgram = {
  name: 'svgo',
  kind: 'build tool',
  work: 'three pictures of 4,000 paths each',
  prepare: ['node', 'generate.mjs'],
  command: ['node', 'node_modules/svgo/bin/svgo.js', '--folder', 'images', '--output', 'out', '--no-color'],
  unordered: true,
};
