import { describe, expect, test } from '@jest/globals';

import { culpritKey, rankCulprits } from '../../src/model/blocks/culprits.js';
import { makeBlock } from '../support/records.js';

const fast = { functionName: 'fast', filePath: '/app/fast.js', lineNumber: 1, columnNumber: 1 };

describe('rankCulprits', () => {
  test('puts the culprit with the most blocked time first, not the one with the most blocks', () => {
    const ranked = rankCulprits([
      makeBlock({ culprit: fast, durationMs: 100 }),
      makeBlock({ culprit: fast, durationMs: 100 }),
      makeBlock({ durationMs: 500 }),
    ]);
    expect(ranked.map(({ location, count, totalMs }) => [location?.functionName, count, totalMs])).toEqual([
      ['slow', 1, 500],
      ['fast', 2, 200],
    ]);
  });

  test('groups blocks of a function at different lines, with the line of the longest', () => {
    const at = (lineNumber: number, durationMs: number): ReturnType<typeof makeBlock> =>
      makeBlock({ culprit: { ...fast, lineNumber }, durationMs });
    const [culprit, ...others] = rankCulprits([at(3, 100), at(9, 300), at(5, 200)]);
    expect(others).toEqual([]);
    expect(culprit).toMatchObject({ count: 3, longestMs: 300, location: { lineNumber: 9 } });
  });

  test('distinguishes anonymous functions of one file by the line at which they are defined', () => {
    const anonymous = { ...fast, functionName: '<anonymous>' };
    const ranked = rankCulprits([
      makeBlock({ culprit: { ...anonymous, lineNumber: 5 }, durationMs: 600, definedAt: 3 }),
      makeBlock({ culprit: { ...anonymous, lineNumber: 9 }, durationMs: 300, definedAt: 8 }),
      makeBlock({ culprit: { ...anonymous, lineNumber: 10 }, durationMs: 400, definedAt: 8 }),
    ]);
    expect(ranked.map(({ location, count, totalMs }) => [location?.lineNumber, count, totalMs])).toEqual([
      [10, 2, 700],
      [5, 1, 600],
    ]);
  });

  test('distinguishes anonymous functions of one line of minified code by their columns', () => {
    const block = { culprit: { ...fast, functionName: '<anonymous>', lineNumber: 1 }, definedAt: 1 };
    const blocks = [1782, 1782, 2479].map((definedAtColumn) => makeBlock({ ...block, definedAtColumn }));
    expect(rankCulprits(blocks).map(({ count }) => count)).toEqual([2, 1]);
  });

  test('names the cause with the most time and the requests by frequency', () => {
    const [culprit] = rankCulprits([
      makeBlock({ cause: 'gc', durationMs: 900, request: 'GET /b' }),
      makeBlock({ cause: 'javascript', durationMs: 300, request: 'GET /a' }),
      makeBlock({ cause: 'javascript', durationMs: 300, request: 'GET /a' }),
    ]);
    expect(culprit).toMatchObject({ cause: 'gc', requests: ['GET /a', 'GET /b'] });
  });

  test('counts suppressed blocks separately from reported ones', () => {
    const [culprit] = rankCulprits([makeBlock({ suppressedCount: 4 }), makeBlock({ suppressedCount: 1 })]);
    expect(culprit).toMatchObject({ count: 2, suppressedCount: 5 });
  });

  test('groups blocks without a stack by cause and async resource', () => {
    const { culprit: _culprit, ...nameless } = makeBlock();
    const keys = [
      culpritKey({ ...nameless, asyncResource: 'Timeout' }),
      culpritKey({ ...nameless, asyncResource: 'Timeout', id: 'other' }),
      culpritKey({ ...nameless, asyncResource: 'HTTPINCOMINGMESSAGE' }),
      culpritKey({ ...nameless, asyncResource: 'Timeout', cause: 'gc' }),
    ];
    expect(new Set(keys).size).toBe(3);
  });

  test('is empty for no blocks', () => {
    expect(rankCulprits([])).toEqual([]);
  });
});
