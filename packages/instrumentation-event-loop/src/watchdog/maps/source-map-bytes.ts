import { BrokenMap, JsonScan, parsePart, textsAt, type Pieces, type Range } from './json-scan.js';
import { findEntries, type Position } from './mappings.js';

/** A source map, as far as it is looked at: its bytes, and where its parts are. */
export interface SourceMapBytes {
  readonly bytes: Buffer;
  /** In order of their position; a map without sections is one. */
  readonly sections: readonly Section[];
  /** The name of the generated file that the map says to be of. */
  readonly file: string | undefined;
}

interface Section extends Position {
  readonly sources: Range | undefined;
  readonly names: Range | undefined;
  readonly sourcesContent: Range | undefined;
  readonly mappings: Range;
  readonly sourceRoot: string;
}

/** What a map says of a position. Numbers are from 0. */
export interface MapEntry {
  readonly source: string;
  readonly line: number;
  readonly column: number;
  readonly name: string;
  readonly generatedColumn: number;
}

const MAX_SECTIONS = 65_536;
const MAX_OFFSET_BYTES = 256;
/** Bytes of the text of a source in JSON. */
const MAX_SOURCE_BYTES = 8 * 1024 * 1024;
/** Bytes of one source's or function's name in JSON. */
const MAX_NAME_BYTES = 4096;

/** Finds the parts of a map; throws a `BrokenMap` where they are not those of one. */
export function* openSourceMap(bytes: Buffer): Pieces<SourceMapBytes> {
  const members = yield* new JsonScan(bytes, { start: startOf(bytes), end: bytes.length }).members();
  if (!members) throw new BrokenMap('expected an object');
  const file = parsePart(bytes, members.get('file'), MAX_NAME_BYTES);
  const sections = members.has('sections')
    ? yield* readSections(bytes, members.get('sections')!)
    : [sectionOf(bytes, members, { line: 0, column: 0 })];
  return { bytes, sections, file: typeof file === 'string' ? file : undefined };
}

/** Skips the mark of UTF-8, and the line that keeps browsers from running the map. */
function startOf(bytes: Buffer): number {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  if (bytes.toString('latin1', start, start + 3) !== ')]}') return start;
  const lineEnd = bytes.indexOf('\n', start);
  return lineEnd === -1 ? bytes.length : lineEnd + 1;
}

function* readSections(bytes: Buffer, array: Range): Pieces<Section[]> {
  const elements: Range[] = [];
  yield* new JsonScan(bytes, array).elements((element) => elements.push(element) <= MAX_SECTIONS);
  if (elements.length > MAX_SECTIONS) throw new BrokenMap('it has too many sections');
  const sections: Section[] = [];
  for (const element of elements) {
    const members = yield* new JsonScan(bytes, element).members();
    const offset = parsePart(bytes, members?.get('offset'), MAX_OFFSET_BYTES) as Partial<Position> | null | undefined;
    const map = members?.get('map');
    const { line, column } = offset ?? {};
    if (map === undefined || !isIndex(line) || !isIndex(column)) throw new BrokenMap('a section is broken');
    const previous = sections.at(-1);
    if (previous && comparePositions(previous, { line, column }) > 0) throw new BrokenMap('sections are out of order');
    const mapMembers = yield* new JsonScan(bytes, map).members();
    // The format has no sections within sections.
    if (!mapMembers || mapMembers.has('sections')) throw new BrokenMap('a section is broken');
    sections.push(sectionOf(bytes, mapMembers, { line, column }));
  }
  return sections;
}

function sectionOf(bytes: Buffer, members: ReadonlyMap<string, Range>, offset: Position): Section {
  const mappings = members.get('mappings');
  if (mappings === undefined || bytes[mappings.start] !== 0x22) throw new BrokenMap('expected mappings');
  const sourceRoot = parsePart(bytes, members.get('sourceRoot'), MAX_NAME_BYTES);
  return {
    line: offset.line,
    column: offset.column,
    sources: members.get('sources'),
    names: members.get('names'),
    sourcesContent: members.get('sourcesContent'),
    mappings: { start: mappings.start + 1, end: mappings.end - 1 },
    sourceRoot: typeof sourceRoot === 'string' ? sourceRoot : '',
  };
}

/** Whether the map is made from that text alone. */
export function* isMadeFrom({ bytes, sections }: SourceMapBytes, source: string): Pieces<boolean> {
  const [section, ...others] = sections;
  if (section === undefined || others.length > 0) return false;
  const contents = yield* textsAt(bytes, section.sourcesContent, new Set([0]), MAX_SOURCE_BYTES);
  return contents.get(0) === source;
}

/**
 * What the map says of these positions, which must be in order, and where the last entry of each of their lines is: one
 * beyond the end of the line shows that the map is of another file.
 */
export function* lookUp(
  { bytes, sections }: SourceMapBytes,
  positions: readonly Position[],
): Pieces<{ readonly entries: (MapEntry | undefined)[]; readonly lastColumns: ReadonlyMap<number, number> }> {
  const entries: (MapEntry | undefined)[] = [];
  const lastColumns = new Map<number, number>();
  for (let i = 0, next = 0; i < sections.length && next < positions.length; i++) {
    const section = sections[i]!;
    const following = sections[i + 1];
    const first = next;
    while (next < positions.length && (!following || comparePositions(positions[next]!, following) < 0)) next++;
    if (first === next) continue;
    const within = positions.slice(first, next).map((position) => inSection(position, section));
    // Before the first section, nothing is mapped.
    const found = yield* findEntries(bytes, section.mappings, within);
    const known = found.entries.filter((entry) => entry !== undefined);
    const sources = yield* textsAt(bytes, section.sources, new Set(known.map(({ source }) => source)), MAX_NAME_BYTES);
    const named = known.map(({ name }) => name).filter((name) => name >= 0);
    const names = yield* textsAt(bytes, section.names, new Set(named), MAX_NAME_BYTES);
    for (const [line, column] of found.lastColumns) {
      lastColumns.set(line + section.line, line === 0 ? column + section.column : column);
    }
    for (const [j, entry] of found.entries.entries()) {
      const source = entry && sources.get(entry.source);
      if (!entry || !source) continue;
      entries[first + j] = {
        source: withRoot(section.sourceRoot, source),
        line: entry.line,
        column: entry.column,
        name: names.get(entry.name) ?? '',
        generatedColumn: entry.generatedColumn + (positions[first + j]!.line === section.line ? section.column : 0),
      };
    }
  }
  return { entries, lastColumns };
}

function inSection({ line, column }: Position, section: Position): Position {
  return line === section.line ? { line: 0, column: column - section.column } : { line: line - section.line, column };
}

function withRoot(root: string, source: string): string {
  if (root === '' || source.startsWith('/') || source.includes('://')) return source;
  return root.endsWith('/') ? root + source : `${root}/${source}`;
}

export function comparePositions(a: Position, b: Position): number {
  return a.line - b.line || a.column - b.column;
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
