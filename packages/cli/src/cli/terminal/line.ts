/** A part of a line and its colour. */
export interface Segment {
  readonly text: string;
  readonly style?: (text: string) => string;
}

/** The segments as one coloured line, truncated with `…` to the given width. */
export function renderLine(segments: readonly Segment[], columns = Infinity): string {
  let left = columns;
  let line = '';
  for (const { text, style } of segments) {
    const clean = printable(text);
    const fits = clean.length <= left;
    const shown = fits ? clean : left > 0 ? `${clean.slice(0, left - 1)}…` : '';
    line += style && shown !== '' ? style(shown) : shown;
    left -= clean.length;
    if (left <= 0) break;
  }
  return line.trimEnd();
}

/** Width of the segments, without colours. */
export function widthOf(segments: readonly Segment[]): number {
  return segments.reduce((width, { text }) => width + printable(text).length, 0);
}

/** Names of functions and files must not contain control sequences of the terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}
