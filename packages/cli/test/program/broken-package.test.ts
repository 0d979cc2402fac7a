import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { brokenPackageOf } from '../../src/cli/program/broken-package.js';

let directory: string;
let file: string;
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-package-'));
  mkdirSync(path.join(directory, 'src/lib'), { recursive: true });
  file = path.join(directory, 'package.json');
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

test.each([
  ['{ "name": ', true],
  ['', true],
  ['{}', false],
  ['\uFEFF{ "type": "module" }', false],
])('Node.js starts nothing with --require beside or below a package.json with %j: %j', (text, isBroken) => {
  writeFileSync(file, text);
  for (const below of ['.', 'src', 'src/lib'])
    expect(brokenPackageOf(path.join(directory, below))).toBe(isBroken ? file : undefined);
});

test('the nearest package.json counts, and one that is a directory', () => {
  writeFileSync(file, '{ broken');
  const nearer = path.join(directory, 'src/package.json');
  writeFileSync(nearer, '{}');
  expect(brokenPackageOf(path.join(directory, 'src/lib'))).toBeUndefined();
  rmSync(nearer);
  mkdirSync(nearer);
  expect(brokenPackageOf(path.join(directory, 'src/lib'))).toBe(nearer);
  rmSync(nearer, { recursive: true });
});

test('a package.json that is a FIFO counts, and is not waited for', () => {
  const nearer = path.join(directory, 'src/package.json');
  execFileSync('mkfifo', [nearer]);
  expect(brokenPackageOf(path.join(directory, 'src/lib'))).toBe(nearer);
});
