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

/** What ends a line, and what reverses the direction of the text that follows, as a name that looks like another one has it. */
const MISLEADING = /[\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** The text on one line, without control characters, changes of direction and halves of characters. */
export function oneLine(text: string): string {
  return wellFormed(text.replace(/\p{Cc}/gu, ' ').replace(MISLEADING, '\ufffd'));
}
