import { describe, expect, test } from '@jest/globals';

import { addressOf } from '../../src/cli/http/host.js';
import { isEveryAddress, isLoopbackAddress, refusalOf, type VisitorHeaders } from '../../src/cli/http/visitors.js';

const names = new Set(['devbox', 'devbox.local']);
const isRefused = (headers: VisitorHeaders, isLoopback = true, authority?: string): boolean =>
  refusalOf(headers, authority, { isLoopback, names }) !== undefined;

describe('who may ask', () => {
  test.each(['localhost', 'LOCALHOST:4318', '127.0.0.1:4318', '127.9.9.9', '[::1]:4318', 'devbox:4318', 'localhost.'])(
    'the Host %s is a name of this machine',
    (host) => {
      expect(isRefused({ host })).toBe(false);
    },
  );

  test.each([
    ...['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'localhost@evil.example', '', ' '],
    ...[
      '192.168.1.5:4318',
      '[',
      ':',
      'localhost:80:80',
      'localhost/',
      'localhost#@evil.example',
      'devbox.evil.example',
    ],
  ])('beside loopback, the Host %j is refused', (host) => {
    expect(isRefused({ host })).toBe(true);
  });

  test('an absolute target counts as a Host, too', () => {
    expect(isRefused({ host: 'localhost' }, true, 'evil.example')).toBe(true);
    expect(isRefused({ host: 'localhost' }, true, 'localhost:4318')).toBe(false);
  });

  test('beyond loopback, programs may use any name', () => {
    expect(isRefused({ host: 'loopwatch.default.svc.cluster.local:4318' }, false)).toBe(false);
  });

  test.each([
    ['a rebound name', { host: 'evil.example', origin: 'http://evil.example' }],
    ['another origin', { host: 'localhost', origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a sandboxed frame', { host: 'localhost', origin: 'null' }],
    ['an image', { host: 'localhost', 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }],
    [
      'a frame',
      { host: 'localhost', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    ],
    ['a page of another port', { host: 'localhost', 'sec-fetch-site': 'same-site' }],
  ] as const)('no web page gets through: %s', (_what, headers) => {
    expect([isRefused(headers, true), isRefused(headers, false)]).toEqual([true, true]);
  });

  test.each([
    ['the page itself', { host: 'localhost:4318', origin: 'http://localhost:4318', 'sec-fetch-site': 'same-origin' }],
    ['an address that is typed', { host: 'localhost', 'sec-fetch-site': 'none' }],
    [
      'a link to the page',
      { host: 'localhost', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    ],
    ['the proxy of a development server', { host: 'localhost:4318', origin: 'http://localhost:5173' }],
    ['that of another machine', { host: 'localhost:4318', origin: 'http://192.168.1.5:5173' }],
  ] as const)('%s does', (_what, headers) => {
    expect([isRefused(headers, true), isRefused(headers, false)]).toEqual([false, false]);
  });

  test.each([
    ['127.0.0.1', true],
    ['127.255.0.1', true],
    ['::1', true],
    ['0:0:0:0:0:0:0:1', true],
    ['::ffff:127.0.0.1', true],
    ['0.0.0.0', false],
    ['::', false],
    ['128.0.0.1', false],
    ['::ffff:10.0.0.1', false],
    ['fe80::1%eth0', false],
  ])('%s is a loopback address: %s', (address, expected) => {
    expect(isLoopbackAddress(address)).toBe(expected);
  });
});

test.each(['0.0.0.0', '::', '0:0::0'])('%s stands for every address', (address) => {
  expect(isEveryAddress(address)).toBe(true);
});

test.each(['127.0.0.1', '::1', 'fe80::1%eth0', '10.0.0.0'])('%s does not stand for every address', (address) => {
  expect(isEveryAddress(address)).toBe(false);
});

describe('the address to listen on', () => {
  test('has no zone, which no URL can have', async () => {
    expect(await addressOf('::1%lo')).toBe('::1');
    expect(await addressOf('::1')).toBe('::1');
  });

  test('is not one that leads nowhere without its zone', async () => {
    await expect(addressOf('fe80::1%eth0')).rejects.toThrow(
      /^Expected an address that a URL can name as --host, got fe80::1%eth0: a link-local one needs its zone/,
    );
  });

  test('is not a name of no address', async () => {
    await expect(addressOf('[::1%lo]')).rejects.toThrow('Expected an address of this machine as --host, got [::1%lo].');
  });
});
