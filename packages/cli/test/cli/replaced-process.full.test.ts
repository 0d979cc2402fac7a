import { describe, expect, test } from '@jest/globals';

import { fixture, runCli } from '../support/cli.js';
import { Scratch } from '../support/scratch.js';

// Node.js 20 has no `process.execve`. Before Node.js 26, it aborts where the program cannot be executed.
const cases = [
  [22, 'replaces'],
  [24, 'replaces'],
  [26, 'replaces'],
  [26, 'fails'],
] as const;

describe('a program that calls process.execve', () => {
  test.each(cases)('has the blocks before and after it, and its own stderr, on Node.js %d: %s', async (major, way) => {
    await using scratch = await Scratch.make();
    const command = ['node', '--no-warnings', fixture('replaces-itself.cjs'), way];
    const { code, stderr } = await runCli(['run', '--json', scratch.json, '--', ...command], { major });
    expect(code).toBe(0);
    const names = (await scratch.recording()).blocks.map(({ culprit }) => culprit?.functionName);
    expect(names).toEqual(['burnCpu', 'burnCpu']);
    const lines = stderr.split('\n').filter((line) => line !== '');
    expect(lines.filter((line) => /^loopwatch \d\d:/.test(line))).toHaveLength(2);
    expect(lines.filter((line) => !line.startsWith('loopwatch '))).toEqual([]);
  });
});
