import { wellFormed } from '../../model/text/well-formed.js';

/* Markdown of texts that come from strangers' programs: no name becomes a link, a mention, HTML, or a row of its own. */

/** A code span, also in a table's cell. A backtick would end the span. */
export function code(text: string): string {
  return `\`${oneLine(text).replaceAll('`', 'ˋ').replaceAll('|', '\\|')}\``;
}

/** Plain text. Behind a zero-width space, `@name` is no mention. */
export function escaped(text: string): string {
  return oneLine(text)
    .replace(/[\\`*_{}[\]<>#|]/g, '\\$&')
    .replace(/@(?=\w)/g, '@\u200b');
}

export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** The text without what no file of text holds: control characters and halves of characters. */
export function oneLine(text: string): string {
  return wellFormed(text.replace(/\p{Cc}/gu, ' '));
}
