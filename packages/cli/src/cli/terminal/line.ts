import { startThatFits, textWidth } from '../../model/text/text-width.js';

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
    const width = textWidth(clean);
    const shown = width <= left ? clean : left > 0 ? `${startThatFits(clean, left - 1)}…` : '';
    line += style && shown !== '' ? style(shown) : shown;
    left -= width;
    if (left <= 0) break;
  }
  return line.trimEnd();
}

/**
 * As many segments on each line as fit, none of them divided; one that is wider than a line is truncated. A segment that
 * starts with a space is indented where it starts a line, as are those that start with two.
 */
export function wrapSegments(segments: readonly Segment[], columns: number): string[] {
  const lines: Segment[][] = [];
  for (const segment of segments) {
    const last = lines.at(-1);
    if (last && widthOf([...last, segment]) <= columns) last.push(segment);
    else lines.push([{ ...segment, text: segment.text.replace(/^ (?! )/, '  ') }]);
  }
  return lines.map((line) => renderLine(line, columns));
}

/** The spaces between words, but not that between a number and its unit: `3.56 s`. */
const BETWEEN_WORDS = / (?!(?:µs|ms|s|min|%)(?:[^\p{L}\p{N}]|$))/u;

/** A sentence, broken between words. A word that is wider than a line is left to the terminal: it may be one to copy. */
export function wrapText(text: string, style: Segment['style'], columns: number): string[] {
  const lines: string[] = [];
  for (const word of printable(text).split(BETWEEN_WORDS)) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(last) + 1 + textWidth(word) <= columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map(style ?? String);
}

/** Width of the segments, without colours. */
export function widthOf(segments: readonly Segment[]): number {
  return segments.reduce((width, { text }) => width + textWidth(printable(text)), 0);
}

/** Half of a surrogate pair, what ends a line, and what reverses the direction of the text that follows. */
const UNPRINTABLE = /[\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Names of functions and files must not contain control sequences of the terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ').replace(UNPRINTABLE, '\ufffd');
}

/** The same for a text of several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** JSON that a terminal shows, too: it is the same value, with escapes also for what `JSON.stringify` leaves as it is. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(
    /[\u007f-\u009f\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
