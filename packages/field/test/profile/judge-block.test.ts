import { describe, expect, test } from '@jest/globals';

import { judgeBlock } from '../../src/profile/judge-block.ts';
import { block, dispatch, frame, samples, timeline } from './made-up.ts';

const search = frame('search');
const other = frame('other', '/app/server.cjs', 30);
const patched = frame('patchedRequire', '/app/node_modules/loopwatch/dist/preload.cjs');

function judge(...groups: Parameters<typeof samples> extends [number, ...infer Groups] ? Groups : never) {
  return judgeBlock(block(), [timeline(samples(1000, ...groups))]);
}

describe('a reported block is', () => {
  test('right when the culprit is on the stack in at least half of the samples', () => {
    expect(judge([10, 'javascript', dispatch, search], [10, 'javascript', dispatch, other])).toMatchObject({
      verdict: 'right',
      share: 0.5,
    });
  });

  test('right when the culprit is a caller of what computes', () => {
    expect(judge([20, 'javascript', dispatch, search, other]).verdict).toBe('right');
  });

  test('wrong when another function has the samples', () => {
    expect(judge([5, 'javascript', dispatch, search], [15, 'javascript', dispatch, other])).toMatchObject({
      verdict: 'wrong',
      reason: 'on the stack in 25 %; the profile has other /app/server.cjs:30',
    });
  });

  test('unchecked when no function has half of the samples and the culprit is among the longest', () => {
    const spread = [7, 8, 9].map((line) => frame(`part${line}`, '/app/server.cjs', line));
    const judgement = judge(
      [6, 'javascript', dispatch, search],
      ...spread.map((part) => [4, 'javascript', dispatch, part] as const),
    );
    expect(judgement).toMatchObject({ verdict: 'unchecked', reason: 'no function has half of the samples' });
  });

  test('wrong when the thread was idle', () => {
    expect(judge([12, 'idle'], [8, 'javascript', dispatch, search])).toMatchObject({
      verdict: 'wrong',
      reason: 'the thread was idle',
    });
  });

  test('wrong when the thread slept after the profile was written, and no code is named', () => {
    const { culprit: _culprit, ...asleep } = block({ startMs: 1300, cause: 'waiting' });
    const profiles = [timeline(samples(1000, [20, 'javascript', dispatch, search]))];
    expect(judgeBlock(asleep, profiles)).toMatchObject({ verdict: 'wrong', reason: 'the thread was idle' });
  });

  test('unchecked when most of it is native code without a stack', () => {
    expect(judge([12, 'program'], [8, 'javascript', dispatch, search]).verdict).toBe('unchecked');
  });

  test('wrong when Loopwatch is the culprit and code of the application is on the stack', () => {
    const culprit = { functionName: 'patchedRequire', filePath: patched.url, lineNumber: 12, columnNumber: 3 };
    const judgement = judgeBlock(block({ culprit }), [
      timeline(samples(1000, [20, 'javascript', dispatch, search, patched])),
    ]);
    expect(judgement.verdict).toBe('wrong');
    expect(judgement.reason).toMatch(/^an observer is the culprit; the profile has search/);
  });

  test('unnamed when the report has no culprit and the profile has', () => {
    const { culprit: _culprit, ...unnamed } = block();
    expect(judgeBlock(unnamed, [timeline(samples(1000, [20, 'javascript', dispatch, search]))])).toEqual({
      verdict: 'unnamed',
      reason: 'no function; the profile has search /app/server.cjs:10',
    });
  });

  test.each([
    ['the profile is of another thread', { threadId: 3 }, 'no profile of this thread'],
    ['the profile is of another process', { pid: 3 }, 'no profile of this thread'],
    ['the profile ends before', { startMs: 1190 }, 'the profile does not cover the block'],
    ['the profiler wrote its profile then', { startMs: 1200, durationMs: 20 }, 'the profiler wrote its profile'],
  ])('unchecked when %s', (_label, changes, reason) => {
    const profiles = [timeline(samples(1000, [20, 'javascript', dispatch, search]))];
    expect(judgeBlock(block(changes), profiles)).toEqual({ verdict: 'unchecked', reason });
  });
});
