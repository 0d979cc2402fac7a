import type { FieldProgram } from '../program.ts';

export const typescript: FieldProgram = {
  name: 'typescript',
  kind: 'build tool',
  work: 'tsc over a generated project of 200 modules, one with an error',
  prepare: ['node', 'generate.mjs'],
  command: ['node', 'node_modules/typescript/bin/tsc', '-p', '.'],
  exitCode: 2,
};
