import { expect, test } from '@jest/globals';
import { sampledMajors } from '@loopwatch/test-support';

import { ANSWER_TIMEOUT_MS, hangs, measureHangs } from '../src/parts/hangs/measure-hangs.ts';

/** Of CPU time that the process gets, without the time that the dump waits for an answer that cannot come. */
const LIMIT_MS = 2000;

test.each(sampledMajors(20, 26))(
  'loopwatch dump names twelve kinds of hangs, or says why it cannot, on a loaded machine, on Node.js %d',
  async (major) => {
    const results = await measureHangs(major);
    expect(results).toHaveLength(hangs.length);
    const limitMs = (way: string): number => (canAnswer(way) ? LIMIT_MS : LIMIT_MS + ANSWER_TIMEOUT_MS);
    expect(results.filter(({ way, isRight, processMs }) => !isRight || processMs > limitMs(way))).toEqual([]);
  },
  300_000,
);

function canAnswer(way: string): boolean {
  return hangs.find((hang) => hang.way === way)?.culprit !== undefined;
}
