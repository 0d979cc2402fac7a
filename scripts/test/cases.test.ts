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

  test('names no test that is not there', () => {
    expect(citations.length).toBeGreaterThan(rows.length);
    expect(citations.filter((citation) => !isThere(citation))).toEqual([]);
  });

  test('and this test can fail', () => {
    const [citation] = citations;
    expect(isThere({ ...citation!, name: `${citation!.name} indeed` })).toBe(false);
    expect(isThere({ ...citation!, file: `${citation!.file}.gone` })).toBe(false);
  });
});

/** A string of just that text, quoted in any of the three ways. */
function isThere({ name, file }: Citation): boolean {
  if (!existsSync(file)) return false;
  const source = readFileSync(file, 'utf8').replaceAll("\\'", "'");
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${name}${quote}`));
}
