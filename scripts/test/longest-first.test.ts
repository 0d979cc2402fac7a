import { readdirSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from '@jest/globals';

import LongestFirst from '../jest/longest-first.mjs';

const directory = path.join(import.meta.dirname, '../../packages/e2e/test');
const files = readdirSync(directory).filter((name) => name.endsWith('.test.ts'));

test('the end-to-end tests that wait for longest run first, and the others in their order', () => {
  const sorted = new LongestFirst().sort(files.map((name) => ({ path: path.join(directory, name) })));
  const names = sorted.map(({ path: file }) => path.basename(file));
  const first = ['notifications-of-all-alerts', 'new-culprit-release', 'demo', 'new-culprit'];
  expect(names).toEqual([
    ...first.map((name) => `${name}.test.ts`),
    ...files.filter((name) => !first.includes(path.basename(name, '.test.ts'))),
  ]);
});
