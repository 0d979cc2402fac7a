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

  test('right when the culprit awaits what computes', () => {
    const culprit = { functionName: 'report', filePath: '/app/report.cjs', lineNumber: 3, columnNumber: 9 };
    const computing =
      'at Sheet.search (/app/server.cjs:12:3)\n    at process.processTicksAndRejections (node:internal/a:1:2)';
    const profiles = [timeline(samples(1000, [20, 'javascript', dispatch, search]))];
    const awaiting = block({ culprit, stackTrace: `    ${computing}\n    at async report (/app/report.cjs:3:9)` });
    expect(judgeBlock(awaiting, profiles).verdict).toBe('right');
    const calling = block({ culprit, stackTrace: `    ${computing}\n    at report (/app/report.cjs:3:9)` });
    expect(judgeBlock(calling, profiles).verdict).toBe('wrong');
  });

  test.each([
    ['report', 'report (/app/report.cjs:3:9)'],
    ['<anonymous>', '/app/report.cjs:3:9'],
  ])(
    'unchecked when the culprit awaits, and others than the functions of its stack compute: %s',
    (functionName, line) => {
      const culprit = { functionName, filePath: '/app/report.cjs', lineNumber: 3, columnNumber: 9 };
      const stackTrace = `    at Sheet.search (/app/server.cjs:12:3)\n    at async ${line}`;
      const profiles = [timeline(samples(1000, [5, 'javascript', search], [15, 'javascript', other]))];
      expect(judgeBlock(block({ culprit, stackTrace }), profiles).verdict).toBe('unchecked');
    },
  );

  test('unchecked when V8 has inlined the culprit into its caller', () => {
    const culprit = { functionName: 'price', filePath: '/app/price.cjs', lineNumber: 3, columnNumber: 9 };
    const stackTrace = '    at price (/app/price.cjs:3:9)\n    at Sheet.search (/app/server.cjs:12:3)';
    const judgeWith = (...stack: (typeof search)[]) =>
      judgeBlock(block({ culprit, stackTrace }), [timeline(samples(1000, [20, 'javascript', ...stack]))]).verdict;
    expect(judgeWith(dispatch, search)).toBe('unchecked');
    expect(judgeWith(dispatch, search, other)).toBe('wrong');
  });

  test('unchecked when V8 has inlined the culprit into its caller in a part of the samples', () => {
    const culprit = { functionName: 'price', filePath: '/app/price.cjs', lineNumber: 3, columnNumber: 9 };
    const callers = ['search', 'list'].map((name, i) => `    at ${name} (/app/server.cjs:${12 + i}:3)`);
    const stackTrace = ['    at price (/app/price.cjs:3:9)', ...callers].join('\n');
    const judgeWith = (...groups: [number, ...(typeof search)[]][]) =>
      judgeBlock(block({ culprit, stackTrace }), [
        timeline(samples(1000, ...groups.map(([count, ...stack]) => [count, 'javascript', ...stack] as const))),
      ]).verdict;
    const caller = frame('search');
    const price = frame('price', '/app/price.cjs', 1);
    expect(judgeWith([7, caller], [4, caller, price], [9, caller, other])).toBe('unchecked');
    // A caller further away computes itself.
    expect(judgeWith([7, frame('list')], [4, caller, price], [9, caller, other])).toBe('wrong');
  });

  test('right when the program has set the name of the function that is on the stack', () => {
    const culprit = { functionName: 'hidden - v1', filePath: '/app/hide.cjs', lineNumber: 31, columnNumber: 9 };
    const wrapper = frame('Object.defineProperty.value', '/app/hide.cjs', 30);
    const judgeWith = (...stack: (typeof search)[]) =>
      judgeBlock(block({ culprit }), [timeline(samples(1000, [20, 'javascript', ...stack]))]).verdict;
    expect(judgeWith(wrapper, search)).toBe('right');
    expect(judgeWith(frame('hide', '/app/hide.cjs', 30), search)).toBe('wrong');
    expect(judgeWith(frame('module.exports.show', '/app/hide.cjs', 40), search)).toBe('wrong');
  });

  test('wrong when another function has the samples', () => {
    expect(judge([5, 'javascript', dispatch, search], [15, 'javascript', dispatch, other])).toMatchObject({
      verdict: 'wrong',
      reason: 'on the stack in 25 %; the profile has other /app/server.cjs:30',
    });
  });

  test.each([
    ['right', 'the culprit is the longest', 6, 4, ''],
    ['unchecked', 'the culprit has at least half as many as the longest', 4, 6, 'no function has half of the samples'],
    [
      'wrong',
      'the culprit has fewer',
      2,
      6,
      'on the stack in 10 %; the profile has no function in half of the samples',
    ],
  ])('%s when no function has half of the samples and %s', (verdict, _label, ofCulprit, ofOther, reason) => {
    const spread = [7, 8, 9].map((line) => frame(`part${line}`, '/app/server.cjs', line));
    const rest = 20 - ofCulprit - ofOther;
    const counts = [ofOther, Math.floor(rest / 2), Math.ceil(rest / 2)];
    const judgement = judge(
      [ofCulprit, 'javascript', search],
      ...spread.map((part, index) => [counts[index]!, 'javascript', part] as const),
    );
    expect(judgement).toMatchObject({ verdict, reason });
  });

  test('wrong when the thread was idle', () => {
    expect(judge([12, 'idle'], [8, 'javascript', dispatch, search])).toMatchObject({
      verdict: 'wrong',
      reason: 'the thread was idle',
    });
  });

  test('wrong when the thread slept after the end of the profile, and no code is named', () => {
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
  ])('unchecked when %s', (_label, changes, reason) => {
    const profiles = [timeline(samples(1000, [20, 'javascript', dispatch, search]))];
    expect(judgeBlock(block(changes), profiles)).toEqual({ verdict: 'unchecked', reason });
  });
});
