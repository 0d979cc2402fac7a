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

  test('gives a frame without the start of its function that of the function with its name that begins last before it', () => {
    const pool = new FramePool();
    const unknown = { functionLineNumber: 0, functionColumnNumber: 0 };
    pool.share([
      frame('parse', { lineNumber: 12, functionLineNumber: 10 }),
      frame('parse', { lineNumber: 32, functionLineNumber: 30 }),
      frame('parse', { lineNumber: 52, functionLineNumber: 50 }),
      frame('', { lineNumber: 33, functionLineNumber: 33 }),
    ]);
    const startOf = (name: string, lineNumber: number, fileName?: string): number | undefined =>
      pool.share([frame(name, { ...unknown, lineNumber, ...(fileName !== undefined && { fileName }) })])[0]
        ?.functionLineNumber;
    expect(startOf('parse', 40)).toBe(30);
    expect(startOf('parse', 5)).toBe(0);
    expect(startOf('other', 40)).toBe(0);
    expect(startOf('parse', 40, '/srv/app/other.js')).toBe(0);
    expect(startOf('', 40)).toBe(0); // one of many
  });

  test('keeps a bounded number of frames, and gives right frames beyond it', () => {
    const pool = new FramePool();
    for (let line = 1; line <= 10_000; line++) {
      const of = frame('generated', { lineNumber: line });
      expect(pool.share([of])[0]).toEqual(of);
    }
  });
});
