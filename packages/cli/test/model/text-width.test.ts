import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { cutMiddle, fitPlace, placeOf } from '../../src/model/text/place.js';
import { endThatFits, startThatFits, textWidth } from '../../src/model/text/text-width.js';

const FAMILY = '👨‍👩‍👧';

describe('the width of a text', () => {
  test.each([
    ['calculate', 9],
    ['計算する', 8],
    ['café', 4],
    ['cafe\u0301', 4],
    ['🔥', 2],
    [FAMILY, 2],
    ['≈ f', 3],
  ])('of %s is %d', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe('a text that is cut', () => {
  test.each([
    ['計算する', 5, '計算', 'する'],
    ['a🔥b🔥c', 3, 'a🔥', '🔥c'],
    [`x${FAMILY}y`, 2, 'x', 'y'],
    ['abc', 0, '', ''],
    ['計算', 1, '', ''],
  ])('keeps whole characters: %s in %d columns', (text, width, start, end) => {
    expect([startThatFits(text, width), endThatFits(text, width)]).toEqual([start, end]);
  });

  const anyText = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('計', '🔥', 'é', 'e\u0301', 'a', '-', FAMILY) }),
  );

  test('is no wider than it may be, and well-formed', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 30 }), (text, width) => {
        for (const cut of [startThatFits(text, width), endThatFits(text, width), cutMiddle(text, width)]) {
          expect(textWidth(cut)).toBeLessThanOrEqual(width);
          expect(encodeURIComponent(cut)).toBeDefined();
        }
      }),
    );
  });

  test('a place of any name fits as well', () => {
    fc.assert(
      fc.property(fc.array(anyText), fc.integer({ min: 12, max: 60 }), (names, width) => {
        const place = placeOf({ functionName: 'f', filePath: `/${names.join('/')}`, lineNumber: 3, columnNumber: 1 });
        expect(textWidth(fitPlace(place, width))).toBeLessThanOrEqual(width);
      }),
    );
  });
});
