import { isAscii, isUtf8 } from 'node:buffer';
import type * as Crypto from 'node:crypto';
import { createRequire } from 'node:module';
import { ANY_PATH } from '../../contract/any-path.js';
import type { GeneratedFrame } from '../../contract/frame-origin.js';
import type { Position } from './mappings.js';

const NEWLINE = 0x0a;
/** Of a longer line that is not ASCII, the text is not looked at. */
const MAX_DECODED_BYTES = 1024 * 1024;
/** Of a larger file, no hash is computed. */
const MAX_HASHED_BYTES = 16 * 1024 * 1024;
const BYTE_ORDER_MARK = '\uFEFF';

/** Lines of a generated file, found when they are wanted. */
export class GeneratedText {
  readonly #bytes: Buffer;
  /** Where each line begins. */
  readonly #starts = [0];
  readonly #asciiLines = new Map<number, boolean>();
  #hash: string | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** At most so many characters has the line, from 0; undefined where the file has no such line. */
  maxLength(line: number): number | undefined {
    const start = this.#startOf(line);
    return start === undefined ? undefined : this.#endOf(line) - start;
  }

  /** Whether the line, from 0, is minified code: what prints code for people sets a space before the body of a function. */
  isMinified(line: number): boolean {
    const start = this.#startOf(line);
    return start !== undefined && this.#bytes.subarray(start, this.#endOf(line)).includes('){');
  }

  /**
   * Whether the frame can be one of this file. Where code was compiled in memory, the file has its source: its hash is
   * another one. Without a hash, the positions are looked at: beyond the end of a line, or where no function begins.
   */
  canContain(frame: GeneratedFrame): boolean {
    if (frame.scriptHash !== undefined) return frame.scriptHash === (this.#hash ??= hashOf(this.#bytes));
    return this.canContainPosition(frame);
  }

  /** The same by its positions alone: the text of a script in which it is wrapped has another hash. */
  canContainPosition(frame: GeneratedFrame): boolean {
    if (!this.#hasCode({ line: frame.lineNumber - 1, column: frame.columnNumber - 1 })) return false;
    if (frame.evaluated !== undefined || frame.functionLineNumber === 0) return true;
    const start = { line: frame.functionLineNumber - 1, column: frame.functionColumnNumber - 1 };
    // The code of a whole module begins with the file, which may begin with white space.
    return (start.line === 0 && start.column === 0) || this.#hasCode(start);
  }

  /** Whether the file has that text at the position. */
  hasText({ line, column }: Position, text: string): boolean {
    return column >= 0 && this.#textAt({ line, column }, text.length) === text;
  }

  /** Whether something of the code stands there, and not the end of a line or white space. */
  #hasCode(position: Position): boolean {
    return this.#textAt(position, 1)?.trim() !== '';
  }

  /** The text at a position, '' at the end of a line; undefined where that would need too much memory. */
  #textAt({ line, column }: Position, length: number): string | undefined {
    const start = this.#startOf(line);
    if (start === undefined) return '';
    const end = this.#endOf(line);
    if (this.#isAscii(line, start, end)) {
      return this.#bytes.toString('latin1', Math.min(end, start + column), Math.min(end, start + column + length));
    }
    if (end - start > MAX_DECODED_BYTES) return undefined;
    return this.#bytes.toString('utf8', start, end).slice(column, column + length);
  }

  /** Columns count UTF-16 units: of other lines, all that comes before must be decoded. */
  #isAscii(line: number, start: number, end: number): boolean {
    let isLineAscii = this.#asciiLines.get(line);
    if (isLineAscii === undefined) {
      isLineAscii = isAscii(this.#bytes.subarray(start, end));
      this.#asciiLines.set(line, isLineAscii);
    }
    return isLineAscii;
  }

  #endOf(line: number): number {
    const next = this.#startOf(line + 1);
    return next === undefined ? this.#bytes.length : next - 1;
  }

  #startOf(line: number): number | undefined {
    if (line < 0) return undefined;
    while (this.#starts.length <= line) {
      const newline = this.#bytes.indexOf(NEWLINE, this.#starts.at(-1));
      if (newline === -1) return undefined;
      this.#starts.push(newline + 1);
    }
    return this.#starts[line];
  }
}

/** SHA-256 of the text as Node.js compiles it; '' where it cannot be told. */
function hashOf(bytes: Buffer): string {
  if (bytes.length > MAX_HASHED_BYTES || !isUtf8(bytes)) return '';
  const mark = Buffer.from(BYTE_ORDER_MARK);
  const text = bytes.subarray(0, mark.length).equals(mark) ? bytes.subarray(mark.length) : bytes;
  // Loaded only now: most processes compile nothing in memory.
  const { createHash } = createRequire(ANY_PATH)('node:crypto') as typeof Crypto;
  return createHash('sha256').update(text).digest('hex');
}
