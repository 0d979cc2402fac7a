import { wellFormed } from '../../model/text/well-formed.js';

/* Markdown of texts that come from strangers' programs: no name becomes a link, a mention, HTML, or a row of its own. */

/** A code span, also in a table's cell. A backtick would end the span. */
export function code(text: string): string {
  return `\`${oneLine(text).replaceAll('`', 'ˋ').replaceAll('|', '\\|')}\``;
}

/** Plain text. Behind a zero-width space, `@name` is no mention, and what begins as an address becomes no link. */
export function escaped(text: string): string {
  return oneLine(text)
    .replace(/[\\`*_{}[\]<>#|&~]/g, '\\$&')
    .replace(/@(?=\w)|:(?=\/\/)|\bwww(?=\.)/gi, '$&\u200b');
}

/** A link whose text is Markdown already. Neither ends the address early: it may come from a recording of anybody. */
export function link(markdown: string, url: string): string {
  const address = url.replace(/[^\w\-.~:/?#@!$&'+,;=%]/gu, (character) =>
    `()*[]|`.includes(character) ? `%${character.charCodeAt(0).toString(16)}` : encodeURIComponent(character),
  );
  return `[${markdown}](${address})`;
}

export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** The text without what no file of text holds: control characters and halves of characters. */
export function oneLine(text: string): string {
  return wellFormed(text.replace(/\p{Cc}/gu, ' '));
}
