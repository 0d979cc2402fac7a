import { describe, expect, test } from '@jest/globals';
import type { CapturedFrame } from '../../../src/probe/evaluated-code.js';
import { FramePool } from '../../../src/probe/frame-pool.js';
import type { Frame } from '../../../src/contract/model.js';
import { frame } from '../support/builders.js';

describe('a pool of frames', () => {
  test('gives equal frames of two stacks one object', () => {
    const pool = new FramePool();
    const stack = (): Frame[] => [frame('work', { lineNumber: 12 }), frame('handle', { lineNumber: 40 })];
    const first = pool.share(stack());
    const second = pool.share(stack());
    expect(second).toEqual(first);
    expect(second.every((shared, i) => shared === first[i])).toBe(true);
  });

  test.each<[string, Partial<CapturedFrame>]>([
    ['another line', { lineNumber: 11 }],
    ['another column', { columnNumber: 8 }],
    ['another name', { functionName: 'other' }],
    ['another file', { fileName: '/srv/app/other.js' }],
    ['another start of its function', { functionLineNumber: 4 }],
    ['an async call', { isAsync: true }],
    ['another place of its evaluation', { evaluatedAt: 'eval at run (/srv/app/worker.js:5:31)' }],
  ])('keeps a frame with %s apart', (_, overrides) => {
    const pool = new FramePool();
    pool.share([frame('work')]);
    expect(pool.share([frame('work', overrides)])).toEqual([frame('work', overrides)]);
    expect(pool.share([frame('work')])).toEqual([frame('work')]);
  });

  test('keeps a bounded number of frames, and gives right frames beyond it', () => {
    const pool = new FramePool();
    for (let line = 1; line <= 10_000; line++) {
      const of = frame('generated', { lineNumber: line });
      expect(pool.share([of])[0]).toEqual(of);
    }
  });
});
