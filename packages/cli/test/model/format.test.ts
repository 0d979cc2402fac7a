import { describe, expect, test } from '@jest/globals';

import { formatMs, formatShare, shortPath } from '../../src/model/text/format.js';

describe('formatMs', () => {
  test.each([
    [0.0004, '0 µs'],
    [0.85, '850 µs'],
    [0.9996, '1.0 ms'],
    [12.34, '12.3 ms'],
    [99.96, '100 ms'],
    [999.6, '1.00 s'],
    [1240, '1.24 s'],
    [99_996, '1 min 40 s'],
    [120_000, '2 min'],
    [125_400, '2 min 5 s'],
    [3_600_000, '60 min'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(formatMs(ms)).toBe(text);
  });
});

describe('formatShare', () => {
  test.each([
    [0, '0.0 %'],
    [0.0004, '<0.1 %'],
    [0.0423, '4.2 %'],
    [0.5, '50 %'],
  ])('writes %d as %s', (share, text) => {
    expect(formatShare(share)).toBe(text);
  });
});

describe('shortPath', () => {
  test('has the type of a module that is a data: URL, and not its text', () => {
    expect(shortPath('data:text/javascript,export%20const%20a%20=%20b/c/d/e/f', '/home/me')).toBe(
      'data:text/javascript,…',
    );
    expect(shortPath(`data:${'x'.repeat(500)}`)).toBe(`data:${'x'.repeat(40)},…`);
  });

  test('is relative to the given directory', () => {
    expect(shortPath('/home/me/app/src/a.js', '/home/me/app')).toBe('src/a.js');
    expect(shortPath('/home/me/app2/src/deep/a.js', '/home/me/app')).toBe('…/src/deep/a.js');
  });

  test('starts with the package for dependencies', () => {
    expect(shortPath('/app/node_modules/.pnpm/x@1/node_modules/x/lib/a.js', '/app')).toBe('x/lib/a.js');
  });

  test('keeps the names of Node.js modules', () => {
    expect(shortPath('node:internal/a/b/c/d')).toBe('node:internal/a/b/c/d');
  });
});
