import { BrokenMap, type Pieces, type Range } from './json-scan.js';

/** A position in the generated file; both from 0. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** An entry of a source map: the last one of its line that begins at a position or before. Numbers are from 0. */
export interface Entry {
  readonly generatedColumn: number;
  readonly source: number;
  readonly line: number;
  readonly column: number;
  /** -1 without a name. */
  readonly name: number;
}

const ENTRIES_PER_PIECE = 20_000;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const CONTINUED = 32;
const LARGEST = 2 ** 31 - 1;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Values of Base64 digits; 64 for other bytes. */
const DIGITS = new Uint8Array(256).fill(64);
for (let value = 0; value < ALPHABET.length; value++) DIGITS[ALPHABET.charCodeAt(value)] = value;

/**
 * Finds the entries for positions, which are in order, and the last column of each line that has some. It decodes all
 * that comes before, since each entry is relative to the one before it, but keeps nothing of that.
 */
export function* findEntries(
  bytes: Buffer,
  { start, end }: Range,
  positions: readonly Position[],
): Pieces<{ readonly entries: (Entry | undefined)[]; readonly lastColumns: Map<number, number> }> {
  const entries: (Entry | undefined)[] = [];
  const lastColumns = new Map<number, number>();
  let next = 0;
  let line = 0;
  let generatedColumn = 0;
  let source = 0;
  let sourceLine = 0;
  let sourceColumn = 0;
  let name = 0;
  let current: Entry | undefined;
  let at = start;
  let untilPiece = ENTRIES_PER_PIECE;

  const number = (): number => {
    let value = 0;
    let shift = 0;
    for (;;) {
      const digit = at < end ? DIGITS[bytes[at]!]! : 64;
      if (digit === 64 || shift > 30) throw new BrokenMap('a number is broken');
      at++;
      value += (digit & 31) * 2 ** shift;
      shift += 5;
      if ((digit & CONTINUED) === 0) break;
    }
    return value % 2 === 1 ? -Math.floor(value / 2) : value / 2;
  };
  const isWithin = (value: number): boolean => value >= 0 && value <= LARGEST;

  while (at <= end && next < positions.length) {
    if (positions[next]!.line < line) {
      entries[next++] = undefined; // a position before the first line
      continue;
    }
    const byte = at === end ? SEMICOLON : bytes[at]!;
    if (byte === SEMICOLON) {
      // What is left of the line has the last entry.
      while (positions[next]?.line === line) entries[next++] = current;
      line++;
      generatedColumn = 0;
      current = undefined;
      at++;
      continue;
    }
    if (byte === COMMA) {
      at++;
      continue;
    }
    if (--untilPiece === 0) {
      untilPiece = ENTRIES_PER_PIECE;
      yield;
    }
    const previousColumn = generatedColumn;
    generatedColumn += number();
    if (!isWithin(generatedColumn) || generatedColumn < previousColumn) throw new BrokenMap('a column is out of order');
    const isWantedLine = positions[next]?.line === line;
    if (isWantedLine) {
      lastColumns.set(line, generatedColumn);
      while (positions[next]?.line === line && positions[next]!.column < generatedColumn) entries[next++] = current;
    } else if (lastColumns.has(line)) lastColumns.set(line, generatedColumn);
    if (isEndOfEntry(bytes, at, end)) {
      current = undefined;
      continue;
    }
    source += number();
    sourceLine += number();
    sourceColumn += number();
    const hasName = !isEndOfEntry(bytes, at, end);
    if (hasName) name += number();
    if (!isWithin(source) || !isWithin(sourceLine) || !isWithin(sourceColumn) || !isWithin(name))
      throw new BrokenMap('a number is out of range');
    if (!isEndOfEntry(bytes, at, end)) throw new BrokenMap('an entry is too long');
    if (isWantedLine) {
      current = { generatedColumn, source, line: sourceLine, column: sourceColumn, name: hasName ? name : -1 };
    }
  }
  while (next < positions.length) entries[next++] = undefined;
  return { entries, lastColumns };
}

function isEndOfEntry(bytes: Buffer, at: number, end: number): boolean {
  return at >= end || bytes[at] === COMMA || bytes[at] === SEMICOLON;
}
