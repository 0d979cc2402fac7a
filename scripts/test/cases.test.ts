import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/evidence/cases.md'), 'utf8');

interface Citation {
  readonly name: string;
  readonly file: string;
}

/** `[name of a test](path/of/its.test.ts)`; Markdown escapes some characters of a name. */
function citationsOf(document: string): Citation[] {
  const text = readFileSync(path.join(root, document), 'utf8');
  const links = text.matchAll(/\[((?:\\.|[^[\]\\])+)\]\(([^)]+\.test\.ts)\)/g);
  return [...links].map(([, name, file]) => ({
    name: name!.replaceAll(/\\([^\w\s])/g, '$1'),
    file: path.join(root, path.dirname(document), file!),
  }));
}

const citations: readonly Citation[] = citationsOf('docs/evidence/cases.md');

const rows = page.split('\n').filter((line) => line.startsWith('|') && !/^\| *(-|case|what)/.test(line));

describe('docs/evidence/cases.md', () => {
  test('names a test for every case', () => {
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.filter((row) => !row.includes('.test.ts)'))).toEqual([]);
  });

  test('every test that it names exists', () => {
    expect(citations.length).toBeGreaterThan(rows.length);
    expect(citations.filter((citation) => !exists(citation))).toEqual([]);
  });

  test('the check finds a wrong name and a wrong file', () => {
    const [citation] = citations;
    expect(exists({ ...citation!, name: `${citation!.name} indeed` })).toBe(false);
    expect(exists({ ...citation!, file: `${citation!.file}.gone` })).toBe(false);
  });
});

describe.each(['docs/evidence/security.md', 'SECURITY.md'])('%s', (document) => {
  test('every test that it names exists', () => {
    const named = citationsOf(document);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((citation) => !exists(citation))).toEqual([]);
  });
});

test('docs/evidence/security.md names a test in each row of who is trusted with what', () => {
  const text = readFileSync(path.join(root, 'docs/evidence/security.md'), 'utf8');
  const [, table = ''] = /\n## Who is trusted with what\n([^]*?)\n## /.exec(text) ?? [];
  const trusted = table.split('\n').filter((line) => line.startsWith('|') && !/^\| *(-|who )/.test(line));
  expect(trusted.length).toBeGreaterThan(5);
  expect(trusted.filter((row) => !row.includes('.test.ts)'))).toEqual([]);
});

/** Whether the file has a string literal of exactly that text. */
function exists({ name, file }: Citation): boolean {
  if (!existsSync(file)) return false;
  const source = readFileSync(file, 'utf8').replaceAll("\\'", "'");
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${name}${quote}`));
}
