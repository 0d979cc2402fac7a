import stringWidth from 'fast-string-width';

/*
 * Text in columns of a terminal: a Chinese character or an emoji takes two. Text is cut between characters as a reader
 * sees them, each of which may be several code units.
 */

/** Made for the first text that needs it: it takes as long as a third of a start of Node.js. */
let graphemes: Intl.Segmenter | undefined;
/** Each of these takes one column. */
const NARROW = /^[\x20-\x7e]*$/;

/** Number of columns that the text takes. It contains no control characters. */
export function textWidth(text: string): number {
  return NARROW.test(text) ? text.length : stringWidth(text);
}

/** As much of the text's start as fits. */
export function startThatFits(text: string, width: number): string {
  if (NARROW.test(text)) return text.slice(0, Math.max(0, width));
  return takeWhileFits(charactersOf(text), width).join('');
}

/** As much of the text's end as fits. */
export function endThatFits(text: string, width: number): string {
  if (NARROW.test(text)) return width <= 0 ? '' : text.slice(-width);
  return takeWhileFits(charactersOf(text).reverse(), width).reverse().join('');
}

function charactersOf(text: string): string[] {
  graphemes ??= new Intl.Segmenter();
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

function takeWhileFits(characters: readonly string[], width: number): string[] {
  let left = width;
  const end = characters.findIndex((character) => (left -= textWidth(character)) < 0);
  return characters.slice(0, end < 0 ? characters.length : end);
}
