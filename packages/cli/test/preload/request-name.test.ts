import { describe, expect, test } from '@jest/globals';

import { nameOfHeaders, nameOfRequest, setFastifyRoute } from '../../src/preload/requests/request-name.js';

describe('the name of a request', () => {
  test.each([
    ['/runs/7?token=secret#there', 'GET /runs/7'],
    ['http://example.com/runs?x', 'GET /runs'],
    ['HTTPS://example.com#there', 'GET /'],
    ['/proxy/http://example.com/?x', 'GET /proxy/http://example.com/'],
    ['?x', 'GET /'],
    ['*', 'GET *'],
  ])('has the path of %s without its query', (url, expected) => {
    expect(nameOfRequest({ method: 'GET', url })).toBe(expected);
  });

  test('is bounded', () => {
    expect(nameOfRequest({ method: 'GET', url: `/${'a'.repeat(5000)}` })).toHaveLength(200);
  });

  test.each([
    ['/api', '/users/:id', 'PUT /api/users/:id'],
    ['/api', '/', 'PUT /api'],
    ['', '/', 'PUT /'],
    ['http://localhost:1337', '/users/:id', 'PUT /users/:id'],
  ])('has the route of Express: %s and %s', (baseUrl, route, expected) => {
    const request = { method: 'PUT', url: '/7', originalUrl: '/api/users/7', baseUrl, route: { path: route } };
    expect(nameOfRequest(request)).toBe(expected);
  });

  test('has the path where the route of Express is a regular expression', () => {
    expect(nameOfRequest({ method: 'GET', url: '/a/b', route: { path: /b/ } })).toBe('GET /a/b');
  });

  test.each(['*', '/*', '*splat', '/*splat', '/{*splat}', '{*splat}', '(.*)', '/(.*)'])(
    'has the path where the route is that of all requests: %s',
    (route) => {
      expect(nameOfRequest({ method: 'GET', url: '/a/b?c', baseUrl: '', route: { path: route } })).toBe('GET /a/b');
      const request = { method: 'GET', url: '/a/b?c' };
      setFastifyRoute(request, route);
      expect(nameOfRequest(request)).toBe('GET /a/b');
    },
  );

  test.each(['/files/*', '/*splat/raw', '*.html', '/:id', '/', '/(.*).js'])(
    'has the route where it is not that of all requests: %s',
    (route) => {
      expect(nameOfRequest({ method: 'GET', url: '/a/b?c', route: { path: route } })).toBe(`GET ${route}`);
    },
  );

  test('has the route of all requests below a path', () => {
    const request = { method: 'GET', url: '/b', originalUrl: '/api/b', baseUrl: '/api', route: { path: '/*' } };
    expect(nameOfRequest(request)).toBe('GET /api/*');
  });

  test('has the route of Fastify', () => {
    const request = { method: 'GET', url: '/runs/7' };
    setFastifyRoute(request, '/runs/:id');
    expect(nameOfRequest(request)).toBe('GET /runs/:id');
  });

  test('of HTTP/2 comes from the headers', () => {
    expect(nameOfHeaders({ ':method': 'GET', ':path': '/a?b' })).toBe('GET /a');
  });

  test.each([
    ['a response to a client', { method: null, url: '' }],
    ['nothing', undefined],
    ['a text', 'GET /'],
    ['a proxy', new Proxy({ method: 'GET', url: '/' }, {})],
  ])('is undefined for %s', (_what, value) => {
    expect(nameOfRequest(value)).toBeUndefined();
    expect(nameOfHeaders(value)).toBeUndefined();
  });

  test('does not run code of the program: a getter is not called', () => {
    const request = {
      method: 'GET',
      get url(): string {
        throw new Error('called');
      },
    };
    expect(nameOfRequest(request)).toBeUndefined();
  });
});
