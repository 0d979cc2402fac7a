import { describe, expect, test } from '@jest/globals';

import { requestTitle } from '../../src/model/text/request-title.js';

describe('requestTitle', () => {
  test.each([
    ['GET', '/a/:b', 'GET /a/:b'],
    ['GET', undefined, 'GET'],
    ['GET /a', '/b', 'GET /a'],
    ['/a', '/b', '/a'],
    ['charge card', '/b', 'charge card'],
  ])('of span %s and path %s is %s', (spanName, path, title) => {
    expect(requestTitle(spanName, path)).toBe(title);
  });
});
