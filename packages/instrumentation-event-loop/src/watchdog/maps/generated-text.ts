import type { GeneratedFrame } from '../../contract/frame-origin.js';
import type { Position } from './mappings.js';

const NEWLINE = 0x0a;
/** Longer lines are of minified code: the characters of their columns are not looked at. */
const MAX_LINE_BYTES = 8192;

/** Lines of a generated file, found when they are wanted. */
export class GeneratedText {
  readonly #bytes: Buffer;
  /** Where each line begins. */
  readonly #starts = [0];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** At most so many characters has the line, from 0; undefined where the file has no such line. */
  maxLength(line: number): number | undefined {
    const start = this.#startOf(line);
    return start === undefined ? undefined : this.#endOf(line) - start;
  }

  /**
   * Whether the frame can be one of this file. Where code was compiled in memory, the file has its source: the positions
   * are beyond the end of a line, or where no function begins.
   */
  canContain(frame: GeneratedFrame): boolean {
    if (!this.#hasText({ line: frame.lineNumber - 1, column: frame.columnNumber - 1 })) return false;
    if (frame.evaluated !== undefined || frame.functionLineNumber === 0) return true;
    const start = { line: frame.functionLineNumber - 1, column: frame.functionColumnNumber - 1 };
    // The code of a whole module begins with the file, which may begin with white space.
    return (start.line === 0 && start.column === 0) || this.#hasText(start);
  }

  /** Whether something of the code stands there, and not the end of a line or white space. */
  #hasText({ line, column }: Position): boolean {
    const start = this.#startOf(line);
    if (start === undefined) return false;
    const end = this.#endOf(line);
    if (end - start > MAX_LINE_BYTES) return column < end - start;
    const character = this.#bytes.toString('utf8', start, end)[column];
    return character !== undefined && character.trim() !== '';
  }

  #endOf(line: number): number {
    const next = this.#startOf(line + 1);
    return next === undefined ? this.#bytes.length : next - 1;
  }

  #startOf(line: number): number | undefined {
    if (line < 0) return undefined;
    while (this.#starts.length <= line) {
      const newline = this.#bytes.indexOf(NEWLINE, this.#starts.at(-1)!);
      if (newline === -1) return undefined;
      this.#starts.push(newline + 1);
    }
    return this.#starts[line];
  }
}
