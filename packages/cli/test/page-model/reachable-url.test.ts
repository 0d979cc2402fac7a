import { describe, expect, test } from '@jest/globals';

import { reachableUrl } from '../../src/page/model/reachable-url.js';

describe('the address of a link', () => {
  test.each([
    ['a loopback name on another machine', 'http://127.0.0.1:16686', 'build-7.example', 'http://build-7.example:16686'],
    ['localhost on another machine', 'http://localhost:16686/ui', '10.0.0.9', 'http://10.0.0.9:16686/ui'],
    ['IPv6 loopback on another machine', 'http://[::1]:16686', 'build-7', 'http://build-7:16686'],
    ['a loopback name on the same machine', 'http://localhost:16686', '127.0.0.1', 'http://localhost:16686'],
    ['another name', 'https://jaeger.example', 'build-7', 'https://jaeger.example'],
    ['a page without a host', 'http://localhost:16686', '', 'http://localhost:16686'],
  ])('with %s', (_what, url, pageHost, expected) => {
    expect(reachableUrl(url, pageHost)).toBe(expected);
  });
});
