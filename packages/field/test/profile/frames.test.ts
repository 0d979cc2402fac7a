import { describe, expect, test } from '@jest/globals';

import { isForeign, isObserver, isSameFunction } from '../../src/profile/frames.ts';
import { frame } from './made-up.ts';

const place = (functionName: string, lineNumber = 12) => ({
  functionName,
  filePath: '/app/a.js',
  lineNumber,
  columnNumber: 5,
});

describe("a culprit and a frame of V8's profile are the same function", () => {
  test.each([
    ['search', 'search'],
    ['Server.search', 'search'],
    ['async Object.search [as find]', 'search'],
    ['new Parser', 'Parser'],
    ['<anonymous>', ''],
    ['Object.<anonymous>', ''],
    ['<anonymous>', 'inferredName'],
  ])('%s and "%s"', (culprit, functionName) => {
    expect(isSameFunction(place(culprit), frame(functionName, 'file:///app/a.js'))).toBe(true);
  });

  test('in a source-mapped program also from another file, by name', () => {
    const inBundle = frame('search', '/app/dist/bundle.js');
    expect(isSameFunction(place('search'), inBundle)).toBe(false);
    expect(isSameFunction(place('search'), inBundle, { sourceMapped: true })).toBe(true);
  });

  test('where the code was evaluated as text, by name', () => {
    expect(isSameFunction(place('countPrimes'), frame('countPrimes', ''))).toBe(true);
    expect(isSameFunction(place('countPrimes'), frame('sumPrimes', ''))).toBe(false);
    expect(isSameFunction(place('<anonymous>'), frame('', ''))).toBe(false);
  });
});

test('another name, another file, or a later line of an anonymous function is another function', () => {
  expect(isSameFunction(place('search'), frame('find', '/app/a.js'))).toBe(false);
  expect(isSameFunction(place('search'), frame('search', '/app/b.js'))).toBe(false);
  expect(isSameFunction(place('<anonymous>', 12), frame('', '/app/a.js', 13))).toBe(false);
});

test('an observer is neither of the application nor of its packages', () => {
  const file = '/app/node_modules/@opentelemetry/instrumentation/build/src/instrumentation.js';
  expect(isObserver(file)).toBe(true);
  expect(isForeign(frame('wrap', file))).toBe(false);
  expect(isForeign(frame('readFileSync', 'node:fs'))).toBe(false);
  expect(isForeign(frame('parse', '/app/node_modules/acorn/acorn.js'))).toBe(true);
});
