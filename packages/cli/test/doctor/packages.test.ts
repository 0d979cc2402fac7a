import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { packageCopies } from '../../src/cli/doctor/collect/packages.js';

let directory: string;
let api: string;
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-packages-'));
  api = path.join(directory, 'node_modules/@opentelemetry/api');
  mkdirSync(api, { recursive: true });
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

test.each([
  ['null', ''],
  ['5', ''],
  ['[{}]', ''],
  ['{', ''],
  ['{ "version": { "a": 1 }, "dependencies": "abc", "devDependencies": null, "peerDependencies": [7] }', ''],
  ['{ "version": "1.9.0", "dependencies": { "__proto__": "1", "../..": "1" } }', '1.9.0'],
])('a package.json of any content is read, of the application and of a package: %s', (text, version) => {
  for (const folder of [directory, api]) writeFileSync(path.join(folder, 'package.json'), text);
  expect(packageCopies(directory)).toEqual([
    { name: '@opentelemetry/api', version, directory: api, usedBy: 'the application' },
  ]);
});

test('a package.json that is a FIFO is not waited for', () => {
  for (const folder of [directory, api]) {
    rmSync(path.join(folder, 'package.json'), { force: true });
    execFileSync('mkfifo', [path.join(folder, 'package.json')]);
  }
  expect(packageCopies(directory)).toEqual([
    { name: '@opentelemetry/api', version: '', directory: api, usedBy: 'the application' },
  ]);
});
