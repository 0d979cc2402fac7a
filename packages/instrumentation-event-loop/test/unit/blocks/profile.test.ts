import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { foldLines, foldProfile } from '../../../src/blocks/profile.js';
import { entryFrame, frame, segment } from '../support/builders.js';

const main = frame('main');

test('a profile is empty without samples', () => {
  expect(foldProfile([])).toBe('');
  expect(foldProfile([segment([])])).toBe('');
});

test('a line has a stack from its root, and its milliseconds', () => {
  expect(foldProfile([segment([frame('leaf'), frame('middle'), main], 12.4)])).toBe('main;middle;leaf 12');
});

test('the same stack is one line, whatever its line numbers', () => {
  const stacks = [10, 11, 12].map((lineNumber) => segment([frame('leaf', { lineNumber }), main], 10));
  expect(foldProfile(stacks)).toBe('main;leaf 30');
});

test('the heaviest stack comes first', () => {
  const samples = [segment([frame('light'), main], 5), segment([frame('heavy'), main], 50), segment([main], 20)];
  expect(foldProfile(samples)).toBe('main;heavy 50\nmain 20\nmain;light 5');
});

test('a sampled stack counts at least 1', () => {
  expect(foldProfile([segment([main], 0.01)])).toBe('main 1');
});

test('separators of the format are replaced in names', () => {
  expect(foldProfile([segment([frame('a;b\nc\r'), main], 5)])).toBe('main;a_b_c_ 5');
});

test('a name may have spaces: the number follows the last one', () => {
  expect(foldProfile([segment([frame('get value'), frame('new Parser')], 5)])).toBe('new Parser;get value 5');
});

test('an anonymous function of minified code is named by its column, too', () => {
  const minified = frame('', { functionLineNumber: 3, functionColumnNumber: 1782, lineNumber: 3 });
  expect(foldProfile([segment([minified], 5)])).toBe('<anonymous logs.js:3:1782> 5');
});

test('an anonymous function is named by its file and line', () => {
  const callback = frame('', { fileName: '/srv/app/lib/rows.js', functionLineNumber: 31, lineNumber: 33 });
  const windows = frame('Object.<anonymous>', { fileName: 'C:\\app\\rows.js', functionLineNumber: 0, lineNumber: 7 });
  expect(foldProfile([segment([callback, windows], 5)])).toBe('<anonymous rows.js:7>;<anonymous rows.js:31> 5');
});

test('the function at whose entry a late answer came is left out', () => {
  expect(foldProfile([segment([entryFrame('next'), main], 300, { isLate: true })])).toBe('main 300');
});

describe('a long profile', () => {
  const manyStacks = Array.from({ length: 5000 }, (_, i) => segment([frame(`handler_${i}`), main], 5000 - i));

  test('is bounded: the lightest stacks are left out', () => {
    const lines = foldProfile(manyStacks).split('\n');
    expect(lines.join('\n').length).toBeLessThanOrEqual(16_384);
    expect(lines[0]).toBe('main;handler_0 5000');
    expect(lines).toHaveLength(new Set(lines).size);
    expect(lines.length).toBeGreaterThan(500);
  });

  test('is never cut within a line, whatever the limit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 }), (maxLength) => {
        const folded = foldProfile(manyStacks.slice(0, 30), maxLength);
        expect(folded.length).toBeLessThanOrEqual(maxLength);
        expect(folded).toMatch(/^(main;handler_\d+ \d+(\n(?=.)|$))*$/);
      }),
    );
  });

  test('holds the deepest stack that is captured, however long its names are', () => {
    const deep = Array.from({ length: 128 }, (_, i) => frame(`${i}${'x'.repeat(10_000)}`));
    expect(foldProfile([segment(deep, 123_456_789)])).toMatch(/^([^;]{126};){127}[^;]{126} 123456789$/);
  });

  test('leaves out a stack that is too long, and keeps shorter ones', () => {
    const long = segment([frame('x'.repeat(90)), frame('y'.repeat(90)), main], 100);
    expect(foldProfile([long, segment([main], 5)], 100)).toBe('main 5');
  });
});

test('any names give lines of the format, and no time is lost but by rounding', () => {
  const names = fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { minLength: 1, maxLength: 5 });
  const samples = fc.array(fc.tuple(names, fc.integer({ min: 1, max: 1000 })), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(samples, (entries) => {
      const folded = foldProfile(
        entries.map(([stack, ms]) =>
          segment(
            stack.map((name) => frame(name)),
            ms,
          ),
        ),
        Infinity,
      );
      const lines = folded.split('\n');
      expect(lines.every((line) => /^[^\r\n]* \d+$/s.test(line))).toBe(true);
      const sum = lines.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0);
      expect(sum).toBe(entries.reduce((total, [, ms]) => total + ms, 0));
      const depths = new Set(lines.map((line) => line.slice(0, line.lastIndexOf(' ')).split(';').length));
      expect([...depths].every((depth) => entries.some(([stack]) => stack.length === depth))).toBe(true);
    }),
  );
});

test('the lines of the culprit are those of its file that are known', () => {
  const at = (lineNumber: number, ms: number, fileName = main.fileName) => {
    const place = frame('main', { lineNumber, fileName });
    return { frame: main, place, segment: segment([place], ms) };
  };
  const known = [at(3, 40), at(7, 20)];
  const occurrences = [...known, at(0, 90), at(5, 90, '/srv/app/other.js')];
  expect(foldLines({ source: main, occurrences })).toBe('3 40\n7 20');
  expect(foldLines({ source: main, occurrences: [at(3, 40), at(3, 20)] })).toBeUndefined();
});
