import type { FieldProgram } from '../program.ts';

export const jimp: FieldProgram = {
  name: 'jimp',
  kind: 'build tool',
  work: 'two pictures are resized, blurred, encoded and decoded in JavaScript',
  command: ['node', 'resize.mjs'],
};
