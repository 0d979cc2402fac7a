import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../..');
const folder = 'docs/evidence/cases';
/** Two lines of 120 characters, without the names of the tests. */
const MAX_ROW_CHARACTERS = 240;
const MAX_PAGE_WORDS = 2500;

interface Citation {
  readonly label: string;
  /** The name of the test as an anchor. */
  readonly anchor: string;
  readonly file: string;
}

const index = readFileSync(path.join(root, folder, 'README.md'), 'utf8');
const pages = readdirSync(path.join(root, folder))
  .filter((name) => name !== 'README.md')
  .map((name) => ({ name, text: readFileSync(path.join(root, folder, name), 'utf8') }));

/** By file: several rows name tests of one file. */
const literals = new Map<string, readonly string[]>();

const rows = pages.flatMap(({ text }) =>
  text.split('\n').filter((line) => line.startsWith('|') && !/^\| (-|case )/.test(line)),
);
const citations = rows.flatMap((row) => citationsOf(row));

describe('docs/evidence/cases', () => {
  test('names a test for every case', () => {
    expect(rows.length).toBeGreaterThan(300);
    expect(rows.filter((row) => citationsOf(row).length === 0)).toEqual([]);
  });

  test('every test that it names exists, once in its file', () => {
    expect(citations.length).toBeGreaterThan(rows.length);
    expect(citations.filter((citation) => namesOf(citation).length !== 1)).toEqual([]);
  });

  test('the check finds a wrong name, a wrong file, and a link without a name', () => {
    const [citation] = citations;
    expect(namesOf({ ...citation!, anchor: `${citation!.anchor}-indeed` })).toEqual([]);
    expect(namesOf({ ...citation!, file: `${citation!.file}.gone` })).toEqual([]);
    expect(namesOf({ ...citation!, anchor: '' })).toEqual([]);
  });

  test('the text of each link is the name of the file', () => {
    const wrong = citations.filter(({ label, file }) => label !== path.basename(file).split('.')[0]);
    expect(wrong).toEqual([]);
  });

  test('each row has at most two lines, each page its words and a line in the index', () => {
    expect(rows.filter((row) => visible(row).length > MAX_ROW_CHARACTERS)).toEqual([]);
    expect(pages.filter(({ text }) => text.split(/\s+/).length > MAX_PAGE_WORDS)).toEqual([]);
    expect(pages.filter(({ name }) => !index.includes(`](${name}): `))).toEqual([]);
  });
});

describe.each(['docs/evidence/security.md', 'SECURITY.md'])('%s', (document) => {
  test('every test that it names exists', () => {
    const named = quotationsOf(document);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(({ name, file }) => !literalsOf(file).includes(name))).toEqual([]);
  });
});

test('docs/evidence/security.md names a test in each row of who is trusted with what', () => {
  const text = readFileSync(path.join(root, 'docs/evidence/security.md'), 'utf8');
  const [, table = ''] = /\n## Who is trusted with what\n([^]*?)\n## /.exec(text) ?? [];
  const trusted = table.split('\n').filter((line) => line.startsWith('|') && !/^\| *(-|who )/.test(line));
  expect(trusted.length).toBeGreaterThan(5);
  expect(trusted.filter((row) => !row.includes('.test.ts)'))).toEqual([]);
});

/** `[file](path/of/file.test.ts#name-of-the-test)`: also a link without a name, which the check refuses. */
function citationsOf(row: string): Citation[] {
  return [...row.matchAll(/\[([^[\]]+)\]\(([^)#\s]+\.test\.ts)(?:#([^)\s]*))?\)/g)].map(([, label, file, anchor]) => ({
    label: label!,
    anchor: anchor ?? '',
    file: path.join(root, folder, file!),
  }));
}

/** `[name of a test](path/of/its.test.ts)`; Markdown escapes some characters of a name. */
function quotationsOf(document: string): { name: string; file: string }[] {
  const text = readFileSync(path.join(root, document), 'utf8');
  const links = text.matchAll(/\[((?:\\.|[^[\]\\])+)\]\(([^)]+\.test\.ts)\)/g);
  return [...links].map(([, name, file]) => ({
    name: name!.replaceAll(/\\([^\w\s])/g, '$1'),
    file: path.join(root, path.dirname(document), file!),
  }));
}

/** The names in the file that have the anchor: exactly one, or the link is wrong. */
function namesOf({ anchor, file }: Citation): readonly string[] {
  return anchor === '' ? [] : literalsOf(file).filter((name) => anchorOf(name) === anchor);
}

/** As GitHub makes the anchor of a heading. */
function anchorOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}

/** The distinct string literals of a file, templates as they are written. Faster than to parse: there are 260 files. */
function literalsOf(file: string): readonly string[] {
  const known = literals.get(file);
  if (known !== undefined) return known;
  const source = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const found = [...source.matchAll(/(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g)].map(([, , text = '']) =>
    text.replaceAll(/\\(['"`])/g, '$1'),
  );
  const distinct = [...new Set(found)];
  literals.set(file, distinct);
  return distinct;
}

/** What a reader sees of a row, without its tests. */
function visible(row: string): string {
  const text = row.replaceAll(
    / \(\[[^[\]]+\]\([^)\s]+\.test\.ts[^)]*\)(?:, \[[^[\]]+\]\([^)\s]+\.test\.ts[^)]*\))*\)/g,
    '',
  );
  return text.replaceAll(/\[([^[\]]+)\]\([^)]*\)/g, '$1');
}
