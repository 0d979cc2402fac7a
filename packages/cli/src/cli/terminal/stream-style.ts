import { colorsFor } from './colors.js';
import type { LineStyle } from './block-line.js';

interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Style of lines on a stream. The width is read for each line: a user may resize the terminal. */
export function styleFor(stream: OutputStream, wantsColors: boolean, reservedColumns = 0): () => LineStyle {
  const colors = colorsFor(stream, wantsColors);
  return () => ({
    colors,
    columns: stream.isTTY && stream.columns !== undefined ? stream.columns - reservedColumns : Infinity,
    directory: process.cwd(),
  });
}
