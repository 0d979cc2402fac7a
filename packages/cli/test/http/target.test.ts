import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { parseTarget } from '../../src/cli/http/target.js';

describe('a request target', () => {
  test.each([
    ['/api/block?id=a%20b', '/api/block', { id: 'a b' }, undefined],
    ['//', '//', {}, undefined],
    ['/\\', '/\\', {}, undefined],
    ['//[', '//[', {}, undefined],
    ['//@:0/', '//@:0/', {}, undefined],
    ['*', '*', {}, undefined],
    ['', '/', {}, undefined],
    ['?id=%', '/', { id: '%' }, undefined],
    ['/a#b?c', '/a', {}, undefined],
    ['http://[', '/', {}, '['],
    ['HTTP://localhost:1/api/state?x=1', '/api/state', { x: '1' }, 'localhost:1'],
    ['http://evil.example?x', '/', { x: '' }, 'evil.example'],
  ])('%j asks for %j', (text, path, query, authority) => {
    const target = parseTarget(text);
    expect([target.path, Object.fromEntries(target.query), target.authority]).toEqual([path, query, authority]);
  });

  test('is never an error', () => {
    const part = fc.constantFrom('/', '\\', '[', '@', ':', '?', '#', '%', '%ff', '%00', 'http://', '..', '\ud800', '*');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(part).map((parts) => parts.join('')),
        ),
        (text) => {
          expect(typeof parseTarget(text).path).toBe('string');
        },
      ),
    );
  });
});
