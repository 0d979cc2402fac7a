/*
 * Finds the parts of a source map in its bytes, without parsing the rest: `JSON.parse` of a map of 50 MB needs several
 * times the memory that the watchdog thread has. All loops yield after some bytes, so that the watchdog goes on watching.
 */

/** A part of the bytes. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Ends what it runs in pieces when nothing is left, or throws a `BrokenMap`. */
export type Pieces<T> = Generator<undefined, T>;

export class BrokenMap extends Error {}

const BYTES_PER_PIECE = 131_072;
/** No key of a source map is longer. */
const MAX_KEY = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

export class JsonScan {
  readonly #bytes: Buffer;
  #at: number;
  #end: number;
  #nextPieceAt: number;

  constructor(bytes: Buffer, { start, end }: Range) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.#nextPieceAt = start + BYTES_PER_PIECE;
  }

  /** The values of an object by their keys; undefined where the text is none. */
  *members(): Pieces<Map<string, Range> | undefined> {
    if (this.#next() !== OPENING_BRACE) return undefined;
    this.#at++;
    const members = new Map<string, Range>();
    if (this.#next() === CLOSING_BRACE) return members;
    for (;;) {
      if (this.#next() !== QUOTE) throw new BrokenMap('expected a key');
      const key = yield* this.#value();
      if (this.#next() !== COLON) throw new BrokenMap('expected a colon');
      this.#at++;
      this.#next();
      const value = yield* this.#value();
      if (key.end - key.start <= MAX_KEY)
        members.set(this.#bytes.toString('latin1', key.start + 1, key.end - 1), value);
      if (this.#separator() === CLOSING_BRACE) return members;
    }
  }

  /** Calls `visit` with each element of an array, until that returns false. */
  *elements(visit: (element: Range, index: number) => boolean): Pieces<void> {
    if (this.#next() !== OPENING_BRACKET) return;
    this.#at++;
    if (this.#next() === CLOSING_BRACKET) return;
    for (let index = 0; ; index++) {
      this.#next();
      if (!visit(yield* this.#value(), index)) return;
      if (this.#separator() === CLOSING_BRACKET) return;
    }
  }

  #separator(): number {
    const byte = this.#next();
    this.#at++;
    if (byte !== COMMA && byte !== CLOSING_BRACE && byte !== CLOSING_BRACKET) throw new BrokenMap('expected a comma');
    return byte;
  }

  /** The next byte that is no white space. */
  #next(): number {
    for (; this.#at < this.#end; this.#at++) {
      const byte = this.#bytes[this.#at]!;
      if (byte > 0x20) return byte;
    }
    throw new BrokenMap('it ends early');
  }

  /** Moves behind a value. Nested values are counted, not visited: no depth is too great. */
  *#value(): Pieces<Range> {
    const start = this.#at;
    let depth = 0;
    do {
      if (this.#at >= this.#nextPieceAt) {
        this.#nextPieceAt = this.#at + BYTES_PER_PIECE;
        yield;
      }
      if (this.#at >= this.#end) throw new BrokenMap('it ends early');
      const byte = this.#bytes[this.#at]!;
      if (byte === QUOTE) this.#skipText();
      else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
        depth++;
        this.#at++;
      } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
        depth--;
        this.#at++;
      } else if (depth > 0) this.#at++;
      else this.#skipWord();
    } while (depth > 0);
    return { start, end: this.#at };
  }

  #skipText(): void {
    for (let from = this.#at + 1; ;) {
      const quote = this.#bytes.indexOf(QUOTE, from);
      if (quote === -1 || quote >= this.#end) throw new BrokenMap('a text does not end');
      let backslashes = 0;
      while (this.#bytes[quote - 1 - backslashes] === BACKSLASH) backslashes++;
      from = quote + 1;
      if (backslashes % 2 === 1) continue;
      this.#at = from;
      return;
    }
  }

  /** A number, `true`, `false` or `null`. */
  #skipWord(): void {
    const start = this.#at;
    while (this.#at < this.#end) {
      const byte = this.#bytes[this.#at]!;
      if (byte === COMMA || byte === CLOSING_BRACE || byte === CLOSING_BRACKET || byte <= 0x20) break;
      this.#at++;
    }
    if (this.#at === start) throw new BrokenMap('expected a value');
  }
}

/** Parses a small part; undefined where it is too long or no JSON. */
export function parsePart(bytes: Buffer, part: Range | undefined, maxBytes: number): unknown {
  if (part === undefined || part.end - part.start > maxBytes) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8', part.start, part.end)) as unknown;
  } catch {
    return undefined;
  }
}

/** Elements of an array of texts, by their index. What is no text, or too long, is left out. */
export function* textsAt(
  bytes: Buffer,
  array: Range | undefined,
  wanted: ReadonlySet<number>,
  maxBytes: number,
): Pieces<Map<number, string>> {
  const texts = new Map<number, string>();
  if (array === undefined || wanted.size === 0) return texts;
  const last = Math.max(...wanted);
  yield* new JsonScan(bytes, array).elements((element, index) => {
    if (wanted.has(index)) {
      const text = parsePart(bytes, element, maxBytes);
      if (typeof text === 'string') texts.set(index, text);
    }
    return index < last;
  });
  return texts;
}
