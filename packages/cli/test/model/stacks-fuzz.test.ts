import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { MAX_POSITION } from '../../src/model/rules.js';
import { flameGraph, parseFolded } from '../../src/model/stacks/flame.js';
import { parseStack } from '../../src/model/stacks/stack.js';
import { makeBlock } from '../support/records.js';

/** Names as the instrumentation writes them: without the format's separators and control characters. */
const name = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 20 })
  .map((text) => text.replaceAll(/[;\p{Cc}\p{Cs}\u2028\u2029]/gu, '_'));
const stack = fc.array(name, { minLength: 1, maxLength: 8 });

test('a profile of whatever names is read back as it was folded', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(stack, fc.nat()), { minLength: 1, maxLength: 10 }), (samples) => {
      const folded = samples.map(([names, ms]) => `${names.join(';')} ${ms}`).join('\n');
      expect(parseFolded(folded)).toEqual(samples);
    }),
    { numRuns: 500 },
  );
});

test('a stack with any names is parsed back from the format of V8', () => {
  const file = fc.stringMatching(/^\/[\w%() .-]{1,20}\.js$/);
  // Names that are ambiguous in V8's format are excluded: those that end with a place or start like an await.
  const named = fc.stringMatching(/^[\w.<>#$]{1,20}$/);
  const frame = fc.record({
    functionName: named,
    filePath: file,
    lineNumber: fc.nat(MAX_POSITION),
    columnNumber: fc.nat(MAX_POSITION),
    isAwait: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 10 }), (frames) => {
      const printed = frames.map(
        ({ functionName, filePath, lineNumber, columnNumber, isAwait }) =>
          `    at ${isAwait ? 'async ' : ''}${functionName} (${filePath}:${lineNumber}:${columnNumber})`,
      );
      expect(parseStack(printed.join('\n')).map(({ text: _text, ...rest }) => rest)).toEqual(frames);
    }),
    { numRuns: 500 },
  );
});

test('whatever text is a stack or a profile, something can be shown', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '    at ',
      'async ',
      ' (',
      ')',
      ':1',
      ':1:2',
      'file://',
      '%',
      '%zz',
      ';',
      '\n',
      ' 7',
      ' 1e9',
      ' 9'.repeat(50),
    ),
  );
  const text = fc.array(part, { maxLength: 20 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, text, fc.double({ min: 0, max: 1e9, noNaN: true }), (profile, stackTrace, durationMs) => {
      const root = flameGraph([makeBlock({ profile, stackTrace, durationMs })]);
      expect(Number.isFinite(root.value)).toBe(true);
      for (const { functionName, text: line } of parseStack(stackTrace))
        expect([typeof functionName, typeof line]).toEqual(['string', 'string']);
    }),
    { numRuns: 1000 },
  );
});

describe('hostile input', () => {
  test('a stack of a hundred thousand frames is truncated, from its root', () => {
    const profile = `${Array.from({ length: 100_000 }, (_, i) => `f${i}`).join(';')} 5`;
    let depth = 0;
    for (let node = flameGraph([makeBlock({ profile })]); node.children[0]; node = node.children[0]) depth += 1;
    expect(depth).toBe(512);
  });

  test('a number of 400 digits is not accepted as a time', () => {
    expect(parseFolded(`a ${'9'.repeat(400)}\nb 3`)).toEqual([[['b'], 3]]);
  });

  test('a percent sign that encodes nothing stays in a path', () => {
    expect(parseStack('    at f (file:///srv/100%/a.js:1:2)')[0]).toMatchObject({
      filePath: '/srv/100%/a.js',
      lineNumber: 1,
    });
  });

  test('a line of parentheses is parsed in linear time', () => {
    // With quadratic time it would take minutes and exceed the time limit of the test.
    expect(parseStack(`    at ${' ('.repeat(500_000)}`)).toHaveLength(1);
  });
});
