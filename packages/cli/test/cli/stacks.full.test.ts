import { describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { nodeBinary, nodeMajors } from '@loopwatch/node-binaries';

import { fixture, runCli } from '../support/cli.js';

const PROGRAMS = [
  'first-jobs.cjs',
  'first-jobs.mjs',
  'throws.mjs',
  'imports.mjs',
  'imports.cjs',
  'callbacks.cjs',
  'in-worker.cjs',
];

// What the preload puts into a queue of Node.js can become a frame of the program's own errors.
describe.each(nodeMajors)('on Node.js %d', (major) => {
  test.concurrent.each(PROGRAMS)('%s prints the same stacks under `run` as without it', async (program) => {
    const file = fixture(`stacks/${program}`);
    const plain = await new Promise<string>((resolve) => {
      execFile(nodeBinary(major), [file], (_error, _stdout, stderr) => {
        resolve(stderr);
      });
    });
    expect(plain).toContain('Error: ');
    const { stderr } = await runCli(['run', '--quiet', '--', 'node', file], { major });
    expect(stderr).toBe(plain);
  });
});
