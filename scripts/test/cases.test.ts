import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';

const docs = path.resolve(import.meta.dirname, '../../docs');
const page = readFileSync(path.join(docs, 'cases.md'), 'utf8');

interface Citation {
  readonly name: string;
  readonly file: string;
}

/** `[name of a test](../path/of/its.test.ts)`; Markdown escapes some characters of a name. */
const citations: readonly Citation[] = [...page.matchAll(/\[((?:\\.|[^[\]\\])+)\]\((\.\.\/[^)]+\.test\.ts)\)/g)].map(
  ([, name, file]) => ({ name: name!.replaceAll(/\\([^\w\s])/g, '$1'), file: path.join(docs, file!) }),
);

const rows = page.split('\n').filter((line) => line.startsWith('|') && !/^\| *(-|case|what)/.test(line));

describe('docs/cases.md', () => {
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

/** Whether the file has a string literal of exactly that text. */
function exists({ name, file }: Citation): boolean {
  if (!existsSync(file)) return false;
  const source = readFileSync(file, 'utf8').replaceAll("\\'", "'");
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${name}${quote}`));
}
