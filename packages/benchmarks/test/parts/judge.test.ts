import { describe, expect, test } from '@jest/globals';

import { judge } from '../../src/parts/quality/judge.ts';
import type { Report, TrueBlock } from '../../src/parts/quality/records.ts';

function block(startEpochMs: number, change: Partial<TrueBlock> = {}): TrueBlock {
  return {
    type: 'block',
    name: 'slow',
    startEpochMs,
    endEpochMs: startEpochMs + 300,
    spanId: 'aa',
    file: '/app/blocks.cjs',
    lines: [10, 20],
    causes: ['javascript'],
    ...change,
  };
}

function report(atEpochMs: number, details: Partial<Report> = {}): Report {
  return { type: 'report', atEpochMs, ...details };
}

describe('judge', () => {
  test('counts right aspects and names wrong ones', () => {
    const place = { file: '/app/blocks.cjs', line: 12 };
    const right = { durationMs: 301, spanId: 'aa', cause: 'javascript', ...place };
    const summary = judge(
      [block(1000), block(2000, { name: 'slower' })],
      [report(1400, right), report(2400, { ...right, durationMs: 303, cause: 'gc', line: 25 })],
    );
    expect(summary).toMatchObject({ blocks: 2, seen: 2, rightLine: 1, rightSpan: 2, rightCause: 1, knownAfterMs: 400 });
    expect(summary.misses).toEqual(['slower line 25', 'slower cause gc']);
  });

  test('leaves out aspects that no report of a peer has', () => {
    const summary = judge([block(1000)], [report(1400, { durationMs: 250 })]);
    expect(summary).toMatchObject({ seen: 1, lengthErrorMs: 50, misses: [] });
    expect(summary).not.toHaveProperty('rightLine');
    expect(summary).not.toHaveProperty('rightSpan');
    expect(summary).not.toHaveProperty('rightCause');
  });

  test('ignores reports of another time and reports much shorter than the block', () => {
    const summary = judge(
      [block(1000), block(2000)],
      [report(900, { durationMs: 300 }), report(2400, { durationMs: 30 })],
    );
    expect(summary).toMatchObject({ seen: 0, misses: ['slow not reported', 'slow not reported'] });
  });

  test('names the block whose report lacks an aspect that reports of other blocks have', () => {
    const summary = judge([block(1000), block(2000)], [report(1400, { cause: 'javascript' }), report(2400)]);
    expect(summary).toMatchObject({ seen: 2, rightCause: 1, misses: ['slow no cause'] });
  });

  test('takes the innermost frame of the program in a stack', () => {
    const stack = [
      'at Array.find (<anonymous>:1:1)',
      'at helper (/app/node_modules/other/index.js:3:4)',
      'at slow (/app/blocks.cjs:15:2)',
      'at caller (/app/blocks.cjs:99:2)',
    ].join('\n');
    expect(judge([block(1000)], [report(1400, { stack })]).rightLine).toBe(1);
    expect(judge([block(1000, { lines: [99, 99] })], [report(1400, { stack })]).rightLine).toBe(0);
  });

  test('has no time of report for a gauge', () => {
    const summary = judge([block(1000)], [report(1400, { durationMs: 290, isGauge: true })]);
    expect(summary).not.toHaveProperty('knownAfterMs');
  });
});
