import { encode } from '@jridgewell/sourcemap-codec';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Position } from '../../../../src/watchdog/maps/mappings.js';
import { BrokenMap } from '../../../../src/watchdog/maps/json-scan.js';
import {
  comparePositions,
  lookUp,
  openSourceMap,
  type MapEntry,
} from '../../../../src/watchdog/maps/source-map-bytes.js';
import { finish } from './support.js';

type Segment = [number] | [number, number, number, number] | [number, number, number, number, number];

const index = fc.integer({ min: 0, max: 5 });
const column = fc.integer({ min: 0, max: 60 });
const segment = fc.oneof(
  fc.tuple(column),
  fc.tuple(column, index, column, column),
  fc.tuple(column, index, column, column, index),
) as fc.Arbitrary<Segment>;
const mappedLine = fc.array(segment, { maxLength: 6 }).map((line) => line.sort((a, b) => a[0] - b[0]));
const generated = fc.array(mappedLine, { maxLength: 8 });
const position = fc.record({ line: fc.integer({ min: 0, max: 9 }), column });
const positions = fc.array(position, { maxLength: 12 }).map((all) => all.sort(comparePositions));
const texts = fc.array(fc.string({ minLength: 1 }), { minLength: 6, maxLength: 6 });

function open(map: unknown, positionsOfIt: readonly Position[]): (MapEntry | undefined)[] {
  const bytes = Buffer.from(typeof map === 'string' ? map : JSON.stringify(map));
  return finish(lookUp(finish(openSourceMap(bytes)), positionsOfIt)).entries;
}

function thrownBy(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The same by a look at each entry. */
function expectedEntry(
  lines: readonly Segment[][],
  { line, column: wanted }: Position,
  sources: readonly string[],
  names: readonly string[],
): Partial<MapEntry> | undefined {
  const found = lines[line]?.findLast(([start]) => start <= wanted);
  if (found?.[1] === undefined) return undefined;
  const [generatedColumn, source, sourceLine, sourceColumn, name] = found;
  return {
    source: sources[source]!,
    line: sourceLine!,
    column: sourceColumn!,
    name: name === undefined ? '' : names[name]!,
    generatedColumn,
  };
}

test('each position has the last entry of its line that begins there or before', () => {
  fc.assert(
    fc.property(generated, positions, texts, texts, (lines, wanted, sources, names) => {
      const sourcesContent = sources.map((source) => `// "${source}"\\`);
      const entries = open({ version: 3, names, sourcesContent, sources, mappings: encode(lines) }, wanted);
      expect(wanted.map((_, i) => entries[i])).toEqual(wanted.map((at) => expectedEntry(lines, at, sources, names)));
    }),
  );
});

test('an indexed map says the same as the maps of its sections', () => {
  fc.assert(
    fc.property(generated, generated, fc.nat(5), positions, texts, (first, second, columns, wanted, sources) => {
      const line = first.length;
      const names = sources.toReversed();
      const sections = [first, second].map((lines, i) => ({
        map: { version: 3, sources: i === 0 ? sources : names, names, mappings: encode(lines) },
        offset: i === 0 ? { line: 0, column: 0 } : { line, column: columns },
      }));
      const entries = open({ version: 3, sections }, wanted);
      for (const [i, at] of wanted.entries()) {
        const isInSecond = at.line > line || (at.line === line && at.column >= columns);
        const shift = at.line === line ? columns : 0;
        const inSection = isInSecond ? { line: at.line - line, column: at.column - shift } : at;
        const entry = expectedEntry(isInSecond ? second : first, inSection, isInSecond ? names : sources, names);
        const shifted = isInSecond && entry ? { ...entry, generatedColumn: entry.generatedColumn! + shift } : entry;
        expect(entries[i]).toEqual(shifted);
      }
    }),
  );
});

const whole = JSON.stringify({
  version: 3,
  sourceRoot: 'src',
  sources: ['a.ts', 'b"\\.ts'],
  names: ['createSpans'],
  mappings: 'AAAAA,SCAQ',
});

test('a map with the mark of UTF-8 or a first line against browsers is read', () => {
  for (const prefix of ['\uFEFF', ")]}'\n", '\uFEFF)]}\n', '  ']) {
    expect(open(prefix + whole, [{ line: 0, column: 1 }])[0]).toMatchObject({
      source: 'src/a.ts',
      name: 'createSpans',
    });
  }
  expect(open(whole, [{ line: 0, column: 9 }])[0]).toMatchObject({ source: 'src/b"\\.ts', column: 8 });
});

describe('a broken map', () => {
  test('that ends early is none', () => {
    for (let length = 0; length < whole.length - 1; length++) {
      expect(() => open(whole.slice(0, length), [{ line: 0, column: 0 }])).toThrow(BrokenMap);
    }
  });

  test.each([
    ['no object', '[]'],
    ['mappings of another type', { sources: [], mappings: 5 }],
    ['no mappings', { sources: [] }],
    ['digits that are none', { sources: ['a'], mappings: 'A-AA' }],
    ['a number without an end', { sources: ['a'], mappings: 'ggggggggggggggg' }],
    ['an entry of six numbers', { sources: ['a'], mappings: 'AAAAAA' }],
    ['a column before the last one', { sources: ['a'], mappings: 'EAAA,FAAA' }],
    ['a line before the first', { sources: ['a'], mappings: 'AADA' }],
    ['sections within sections', { sections: [{ offset: { line: 0, column: 0 }, map: { sections: [] } }] }],
    ['sections without an offset', { sections: [{ map: { mappings: '' } }] }],
    [
      'sections out of order',
      { sections: [2, 1].map((line) => ({ offset: { line, column: 0 }, map: { mappings: '' } })) },
    ],
    ['sections without end', '{"sections":[' + '{"a":['.repeat(100_000)],
  ])('with %s is none', (_what, map) => {
    expect(() => open(map, [{ line: 0, column: 9 }])).toThrow(BrokenMap);
  });

  test('has no entry where a source is no text, and keeps the others', () => {
    const map = { sources: [{ toString: 1 }, 'b.ts', null], names: [3], mappings: 'AAAAA,ECAA,ECAA' };
    const entries = open(
      map,
      [0, 2, 4].map((at) => ({ line: 0, column: at })),
    );
    expect(entries.map((entry) => entry?.source)).toEqual([undefined, 'b.ts', undefined]);
  });
});

test('any bytes are a map, or a broken one', () => {
  const texty = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((json) => `{"mappings":"AAAA","sources":${json}}`),
  );
  fc.assert(
    fc.property(texty, positions, (text, wanted) => {
      const error = thrownBy(() => open(text, wanted));
      expect(error === undefined || error instanceof BrokenMap).toBe(true);
    }),
  );
});

test('a long map is read in pieces', () => {
  const mappings = encode([Array.from({ length: 100_000 }, (_, i): Segment => [i, 0, i, 0])]);
  const sourcesContent = Array.from({ length: 1000 }, () => 'x'.repeat(1000));
  const work = openSourceMap(Buffer.from(JSON.stringify({ sources: ['a.ts'], sourcesContent, mappings })));
  let pieces = 0;
  while (work.next().done !== true) pieces++;
  const map = finish(openSourceMap(Buffer.from(JSON.stringify({ sources: ['a.ts'], sourcesContent, mappings }))));
  const looking = lookUp(map, [{ line: 0, column: 99_999 }]);
  while (looking.next().done !== true) pieces++;
  expect(pieces).toBeGreaterThan(8);
});
