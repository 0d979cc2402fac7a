import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../..');
const guide = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8');

test('CONTRIBUTING.md has two pages at most', () => {
  expect(guide.split(/\s+/).length).toBeLessThan(1000);
});

test('CONTRIBUTING.md names only npm scripts that exist', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { scripts: object };
  const named = [...guide.matchAll(/(?:`|^)npm (?:run )?([a-z][\w:]*)/gm)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test('CONTRIBUTING.md names only files that exist', () => {
  const named = [...guide.matchAll(/`([\w.-]+\/[\w./-]+)`/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(10);
  const folders = ['', 'packages/instrumentation-event-loop', 'packages/demo'];
  const exists = (name: string): boolean => folders.some((folder) => existsSync(path.join(root, folder, name)));
  expect(named.filter((name) => !exists(name))).toEqual([]);
});

describe.each(['CONTRIBUTING.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md', 'docs/versioning.md'])('%s', (page) => {
  test('links only to files that exist', () => {
    const text = readFileSync(path.join(root, page), 'utf8');
    const links = [...text.matchAll(/\]\(((?!https?:)[^)#]+)/g)].map(([, link = '']) => link);
    const directory = path.join(root, path.dirname(page));
    expect(links.filter((link) => !existsSync(path.join(directory, link)))).toEqual([]);
  });
});
