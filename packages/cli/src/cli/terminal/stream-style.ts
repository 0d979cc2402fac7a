import { colorsFor } from './colors.js';
import type { LineStyle } from './block-line.js';

interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** In a narrower terminal, lines are not cut: it wraps them, and all of them can be read. */
const MIN_COLUMNS = 30;

/** Style of lines on a stream. The width is read for each line: a user may resize the terminal. */
export function styleFor(stream: OutputStream, wantsColors: boolean, reservedColumns = 0): () => LineStyle {
  const colors = colorsFor(stream, wantsColors);
  return () => ({ colors, columns: columnsOf(stream) - reservedColumns, directory: process.cwd() });
}

/** A terminal shows Ctrl+C as `^C` and leaves the cursor behind it: what is printed next gets a line of its own. */
export function endEcho(stream: OutputStream & Pick<NodeJS.WritableStream, 'write'>): void {
  if (stream.isTTY) stream.write('\n');
}

/** A terminal without a size, such as the one of `docker run -t` or `script`, reports 0 columns. */
function columnsOf({ isTTY, columns = 0 }: OutputStream): number {
  return isTTY && columns >= MIN_COLUMNS ? columns : Infinity;
}
