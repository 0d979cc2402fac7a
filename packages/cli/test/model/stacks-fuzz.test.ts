import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { flameGraph, parseFolded } from '../../src/model/flame.js';
import { parseStack } from '../../src/model/stack.js';
import { makeBlock } from '../support/records.js';

/** What the instrumentation leaves in a name: no separator of the format, and nothing that controls. */
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

test('a stack of whatever names is read back as V8 prints it', () => {
  const file = fc.stringMatching(/^\/[\w%() .-]{1,20}\.js$/);
  // What V8 itself cannot tell apart is left out: a name that ends in a place, or begins as an await does.
  const named = fc.stringMatching(/^[\w.<>#$]{1,20}$/);
  const frame = fc.record({
    functionName: named,
    filePath: file,
    lineNumber: fc.nat(),
    columnNumber: fc.nat(),
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

describe('what is made to hurt', () => {
  test('a stack of a hundred thousand frames is shown from its root', () => {
    const profile = `${Array.from({ length: 100_000 }, (_, i) => `f${i}`).join(';')} 5`;
    let depth = 0;
    for (let node = flameGraph([makeBlock({ profile })]); node.children[0]; node = node.children[0]) depth += 1;
    expect(depth).toBe(512);
  });

  test('a number without end is no time', () => {
    expect(parseFolded(`a ${'9'.repeat(400)}\nb 3`)).toEqual([[['b'], 3]]);
  });

  test('a percent sign in a URL stands for itself where it encodes nothing', () => {
    expect(parseStack('    at f (file:///srv/100%/a.js:1:2)')[0]).toMatchObject({
      filePath: '/srv/100%/a.js',
      lineNumber: 1,
    });
  });

  test('a line of parentheses is read in the time of its length', () => {
    // A reading that tries each against each other would take minutes: the time limit of the test tells.
    expect(parseStack(`    at ${' ('.repeat(500_000)}`)).toHaveLength(1);
  });
});
