import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { cacheDirectory } from '../../src/cli/program/cache-directory.js';

let home: string;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'loopwatch-cache-'));
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

describe('the directory of compiled code', () => {
  test.each([
    ['linux', (at: string) => ({ HOME: at }), '.cache/loopwatch'],
    ['linux', (at: string) => ({ HOME: '/nowhere', XDG_CACHE_HOME: at }), 'loopwatch'],
    ['darwin', (at: string) => ({ HOME: at, XDG_CACHE_HOME: '/nowhere' }), 'Library/Caches/loopwatch'],
    ['win32', (at: string) => ({ LOCALAPPDATA: at }), 'loopwatch'],
  ] as const)('on %s is below the caches of the user', (platform, envOf, expected) => {
    mkdirSync(path.join(home, 'Library'));
    expect(cacheDirectory(platform, envOf(home))).toBe(`${home}/${expected}`);
    expect(statSync(`${home}/${expected}`).mode & 0o077).toBe(0);
  });

  test.each([
    ['no home', {}],
    ['a relative home', { HOME: 'home' }],
    ['a relative XDG_CACHE_HOME and no home', { XDG_CACHE_HOME: './cache' }],
  ])('is none with %s', (_, env) => {
    expect(cacheDirectory('linux', env)).toBeUndefined();
    expect(existsSync('home')).toBe(false);
  });

  test('is none where no directory can be created', () => {
    expect(cacheDirectory('linux', { HOME: '/proc/self' })).toBeUndefined();
  });

  test('is none where others can write there', () => {
    const directory = path.join(home, '.cache/loopwatch');
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o777);
    expect(cacheDirectory('linux', { HOME: home })).toBeUndefined();
  });
});
