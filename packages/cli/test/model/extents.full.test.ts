import process from 'node:process';

import { describe, expect, jest, test } from '@jest/globals';

import { anySourceFiles } from '../../src/cli/files/source-files.js';
import { collectSources } from '../../src/cli/files/source-lines.js';
import { compareRecordings } from '../../src/model/compare/comparison.js';
import { inlinedSearch } from '../../src/model/advice/inlined-scan.js';
import { flameGraph, type FlameNode } from '../../src/model/stacks/flame.js';
import { lineTimesOfBlock, parseLines, sourceLines } from '../../src/model/stacks/line-times.js';
import { permutationTest } from '../../src/model/compare/permutation-test.js';
import { parseStack } from '../../src/model/stacks/stack.js';
import { makeBlock, makeComparedRecording } from '../support/records.js';

/*
 * Loops whose extent comes from a recording or from the network. Each of these took minutes or for ever, or threw, before
 * there was a range: they have nearly the time limit of a unit test.
 */
jest.setTimeout(10_000);

const LINES = [2 ** 53, 9_007_199_254_740_990, 2 ** 31, -1, 0.5, NaN, Infinity];

describe('a line that no source has', () => {
  test.each(LINES)('is not looked up: %p', (lineNumber) => {
    const culprit = { functionName: 'f', filePath: '/none/a.js', lineNumber, columnNumber: 1 };
    expect(
      collectSources(
        [makeBlock({ culprit, lines: `${lineNumber} 5`, stackTrace: `    at f (/none/a.js:${lineNumber}:1)` })],
        anySourceFiles(),
        { linesBefore: 40, linesAfter: 40 },
      ),
    ).toEqual({});
    const sources = { '/none/a.js': { [String(lineNumber)]: 'while (true) {', '9007199254740992': 'for (;;) {' } };
    expect(inlinedSearch([[['f'], 1]], [{ method: 'find', caller: [] }], culprit, sources, 0.5)).toBeUndefined();
  });

  test('is no place in a stack, and has no time', () => {
    expect(parseStack('    at f (/a.js:9007199254740993:1)')).toMatchObject([{ functionName: 'f' }]);
    expect(parseStack('    at f (/a.js:9007199254740993:1)')[0]).not.toHaveProperty('lineNumber');
    expect(parseLines('9007199254740990 5\n17 1650\n99999999999999999999 7\n3 1e9')).toEqual([[17, 1650]]);
    expect(
      lineTimesOfBlock(makeBlock({ lines: '17 5', profile: `a ${'9'.repeat(300)}`, durationMs: 10 })),
    ).toMatchObject([{ ms: 5 }]);
  });
});

function countNodes(node: FlameNode): number {
  return 1 + node.children.reduce((total, child) => total + countNodes(child), 0);
}

test('a flame graph of millions of different frames has a bounded size, and all of the time', () => {
  const profileOf = (seed: number): string =>
    Array.from({ length: 16 }, (_, line) => `${seed}_${line};${'a;b;'.repeat(240)}c 1`).join('\n');
  const root = flameGraph(
    Array.from({ length: 150 }, (_, seed) => makeBlock({ profile: profileOf(seed), durationMs: 1 })),
  );
  expect(countNodes(root)).toBeLessThanOrEqual(50_001);
  expect(root.value).toBeCloseTo(150, 5);
});

test('the lines around a hundred thousand lines with time are found in the time of one look at each', () => {
  const times = Array.from({ length: 100_000 }, (_, line) => ({ lineNumber: 10 * line + 1, ms: 1, count: 1 }));
  const texts = Object.fromEntries(Array.from({ length: 50_000 }, (_, line) => [String(line + 1), 'code']));
  expect(sourceLines({ '/a.js': texts }, '/a.js', times).length).toBeGreaterThan(20_000);
});

test('a loop whose end is not in the source is given up after some lines', () => {
  const culprit = { functionName: 'f', filePath: '/a.js', lineNumber: 1, columnNumber: 1 };
  const line = `${'['.repeat(200)} items.find(x)`;
  const texts = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [String(index + 1), line]));
  expect(
    inlinedSearch([[['f'], 1]], [{ method: 'find', caller: [] }], culprit, { '/a.js': texts }, 0.5),
  ).toBeUndefined();
});

test('recordings with a hundred and fifty thousand blocks of one culprit are compared', () => {
  const blocks = Array.from({ length: 150_000 }, (_, index) => makeBlock({ id: `b${index}` }));
  const { culprits } = compareRecordings([makeComparedRecording(blocks)], [makeComparedRecording(blocks)]);
  expect(culprits).toMatchObject([{ base: { longestMs: 200, meanCount: 150_000 }, verdict: 'same' }]);
});

test('a comparison of many culprits looks at fewer assignments, and finds the same', () => {
  const rows = (count: number, ms: number): number[][] =>
    Array.from({ length: count }, (_, row) =>
      Array.from({ length: 10 }, (_, run) => (row === 0 ? ms : 100) + ((run * 7) % 5)),
    );
  const start = process.cpuUsage();
  permutationTest({ base: rows(100, 100), head: rows(100, 300) });
  const few = process.cpuUsage(start).user;
  const [first, second] = permutationTest({ base: rows(2_000, 100), head: rows(2_000, 300) });
  expect(first!.larger).toBeLessThan(0.01);
  expect(second!.larger).toBeGreaterThan(0.05);
  // Twenty times the culprits.
  expect(process.cpuUsage(start).user - few).toBeLessThan(6 * few);
}, 20_000);
