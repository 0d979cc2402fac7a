import { describe, expect, test } from '@jest/globals';

import { cutMiddle, fitPlace, formatPlace, placeOf } from '../../src/model/text/place.js';

const at = (filePath: string, lineNumber = 17, columnNumber = 5) => ({
  functionName: 'f',
  filePath,
  lineNumber,
  columnNumber,
});

describe('formatPlace', () => {
  test('contains the line', () => {
    expect(formatPlace(at('/app/src/a.js'), '/app')).toBe('src/a.js:17');
  });

  test('omits an unknown line', () => {
    expect(formatPlace(at('/a.js', 0, 0))).toBe('/a.js');
  });

  test.each([
    ['a long line', '/app/src/a.js', 23_456, 'src/a.js:17:23456'],
    [
      'a chunk of Next.js',
      '/app/.next/server/chunks/[root]__a1b2._.js',
      5,
      '.next/server/chunks/[root]__a1b2._.js:17:5',
    ],
    ['a chunk of Next.js elsewhere', '/srv/x/.next/server/app/api/a/route.js', 5, '…/api/a/route.js:17:5'],
    ['a build output', '/app/dist/a.js', 5, 'dist/a.js:17:5'],
    ['minified code', '/app/public/a.min.js', 5, 'public/a.min.js:17:5'],
    ['the output of a dependency', '/app/node_modules/x/dist/a.cjs', 5, 'x/dist/a.cjs:17:5'],
    ['a build output of unknown column', '/app/dist/a.js', 0, 'dist/a.js:17'],
    ['an application that lies in a directory of that name', '/build/x/app/src/a.js', 5, '…/app/src/a.js:17'],
  ])('contains the column in %s', (_what, filePath, columnNumber, text) => {
    expect(formatPlace(at(filePath, 17, columnNumber), '/app')).toBe(text);
  });
});

describe('fitPlace', () => {
  const place = placeOf(at('/app/packages/demo/src/runs/trace-view.ts'), '/app');

  test.each([
    [99, 'packages/demo/src/runs/trace-view.ts:17'],
    [39, 'packages/demo/src/runs/trace-view.ts:17'],
    [38, 'packages/…/src/runs/trace-view.ts:17'],
    [34, 'packages/…/runs/trace-view.ts:17'],
    [30, '…/src/runs/trace-view.ts:17'],
    [26, '…/runs/trace-view.ts:17'],
    [20, '…/trace-view.ts:17'],
    [16, 'trace-view.ts:17'],
    [14, 'trace…ew.ts:17'],
    [5, '…s:17'],
  ])('shortens to %d characters, and keeps the line', (width, text) => {
    expect(fitPlace(place, width)).toBe(text);
    expect(text.length).toBeLessThanOrEqual(width);
  });

  test('keeps line and column of a chunk with a long name', () => {
    const chunk = placeOf(at('/app/.next/server/chunks/[root-of-the-server]__0f3a91c2._.js', 1, 23_456), '/app');
    for (const width of [60, 40, 30, 20, 12]) {
      const text = fitPlace(chunk, width);
      expect(text).toMatch(/s:1:23456$/);
      expect(text.length).toBeLessThanOrEqual(width);
    }
  });

  test.each(['', '/', 'C:\\app\\src\\a.js', 'node:internal/fs/utils', 'https://example.org/a.js', 'a b/…/c'])(
    'takes any path: %s',
    (filePath) => {
      for (let width = 60; width >= 0; width -= 1) {
        expect(fitPlace(placeOf(at(filePath)), width)).toMatch(/:17$/);
      }
    },
  );
});

describe('cutMiddle', () => {
  test.each([
    ['abcdefgh', 8, 'abcdefgh'],
    ['abcdefgh', 7, 'abc…fgh'],
    ['abcdefgh', 2, '…h'],
    ['abcdefgh', 1, '…'],
    ['abcdefgh', 0, ''],
  ])('cuts %s to %d characters: %s', (text, width, cut) => {
    expect(cutMiddle(text, width)).toBe(cut);
  });
});
