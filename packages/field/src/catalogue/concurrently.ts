import type { FieldProgram } from '../program.ts';

export const concurrently: FieldProgram = {
  name: 'concurrently',
  kind: 'process manager',
  work: 'two builds side by side, through a shell',
  expected: [{ functionName: 'digest', count: 2 }],
  command: ['node', 'node_modules/concurrently/dist/bin/concurrently.js', 'node build.cjs one', 'node build.cjs two'],
  unordered: true,
};
