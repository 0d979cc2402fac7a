import { expect, test } from '@jest/globals';

import { thatFit } from '../../src/cli/mcp/tools.js';

/** Bytes of an answer's 8 kB beside its text. */
const ROOM = 7000;

test('the most runs with the longest names that record takes fit an answer, where they fail and print', () => {
  const run = { file: 'd'.repeat(505), ended: 'exit code 1', blocks: 20_000, blockedMs: 600_000, watchedProcesses: 99 };
  const failed = Array.from({ length: 10 }, () => ({ ...run, output: '"'.repeat(100) }));
  expect(Buffer.byteLength(JSON.stringify({ recordings: failed }))).toBeGreaterThan(ROOM);
  expect(Buffer.byteLength(JSON.stringify({ recordings: thatFit(failed) }))).toBeLessThan(ROOM);
  const short = failed.map((each) => ({ ...each, file: 'run.json' }));
  expect(thatFit(short)).toEqual(short);
});
