import { describe, expect, test } from '@jest/globals';

import { definitionOf } from '../../src/model/stacks/definition.js';

function at(
  lineNumber: number,
  functionName = '<anonymous>',
  filePath = '/app/src/routes.js',
): {
  functionName: string;
  filePath: string;
  lineNumber: number;
  columnNumber: number;
} {
  return { functionName, filePath, lineNumber, columnNumber: 1 };
}

const definitionLine = (of: Parameters<typeof definitionOf>[0]): number | undefined => definitionOf(of).definedAt;

describe('the line at which an anonymous culprit is defined', () => {
  test('is that of the innermost function of its file before its line', () => {
    const profile = 'listOnTimeout;<anonymous server.js:2>;<anonymous routes.js:3>;<anonymous routes.js:8>;parse 300';
    expect(definitionLine({ culprit: at(10), profile })).toBe(8);
    expect(definitionLine({ culprit: at(5), profile })).toBe(3);
  });

  test('leaves out a function that had little of the time', () => {
    const profile = '<anonymous routes.js:3> 280\n<anonymous routes.js:3>;<anonymous routes.js:4> 20';
    expect(definitionLine({ culprit: at(5), profile })).toBe(3);
  });

  test('is that of the culprit where several requests share the block', () => {
    const profile = '<anonymous routes.js:3> 100\n<anonymous routes.js:5> 80\n<anonymous routes.js:9>;find 90';
    expect(definitionLine({ culprit: at(5), profile })).toBe(5);
    expect(definitionLine({ culprit: at(7), profile })).toBe(3);
  });

  test('counts a function that calls itself once for each stack', () => {
    const profile = '<anonymous routes.js:3>;<anonymous routes.js:3> 100\n<anonymous routes.js:1> 150';
    expect(definitionLine({ culprit: at(5), profile })).toBe(1);
  });

  test.each(['Object.<anonymous>', 'async <anonymous>'])('is known of %s', (name) => {
    expect(definitionLine({ culprit: at(5, name), profile: '<anonymous routes.js:1> 100' })).toBe(1);
  });

  test('is undefined for a function with a name', () => {
    expect(definitionLine({ culprit: at(5, 'handle'), profile: '<anonymous routes.js:3> 100' })).toBeUndefined();
  });

  test.each([
    ['the profile shows no such function', 'handle 100'],
    ['it shows one of another file', '<anonymous other.js:3> 100'],
    ['it shows only later ones', '<anonymous routes.js:7> 100'],
    ['there is no profile', undefined],
  ])('is unknown where %s', (_label, profile) => {
    expect(definitionLine({ culprit: at(5), ...(profile !== undefined && { profile }) })).toBeUndefined();
  });

  test('is unknown without a culprit', () => {
    expect(definitionLine({ profile: '<anonymous routes.js:3> 100' })).toBeUndefined();
  });

  test('is found with the separators of Windows', () => {
    const culprit = at(5, '<anonymous>', 'C:\\app\\routes.js');
    expect(definitionLine({ culprit, profile: '<anonymous routes.js:3> 100' })).toBe(3);
  });
});

describe('the place at which an anonymous culprit of minified code is defined', () => {
  const profile = 'next;<anonymous routes.js:1:1782> 200\nnext;<anonymous routes.js:1:2479> 100';
  const culprit = { ...at(1), columnNumber: 1820 };

  test('has the column', () => {
    expect(definitionOf({ culprit, profile })).toEqual({ definedAt: 1, definedAtColumn: 1782 });
  });

  test('is before that of the culprit', () => {
    const later = 'next;<anonymous routes.js:1:2479> 100';
    expect(definitionOf({ culprit, profile: later })).toEqual({});
    expect(definitionOf({ culprit: { ...culprit, columnNumber: 2500 }, profile: later }).definedAtColumn).toBe(2479);
  });
});
