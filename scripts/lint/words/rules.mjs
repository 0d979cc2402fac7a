import { splitAST } from 'sentence-splitter';

/** A longer sentence must be read twice by many readers. */
export const MAX_WORDS = 40;

/** Of a page of use, which has one subject. */
export const MAX_PAGE_WORDS = 2000;

/** Words of STYLE and the plain ones in their place: what a reader must not need a glossary for. */
const REPLACEMENTS = [
  [/\bwhoever\b/i, 'name who it is'],
  [/\bsomebody\b/i, 'a person, another request, another program'],
  [/\bnobody\b/i, 'no one, or name who'],
  [/\bsees? to it\b/i, 'makes sure'],
  [/\bnone of ours\b/i, 'of the application'],
  [/\bat about no cost\b/i, 'the measured cost'],
  [
    /\b(?:utili[sz]e[sd]?|leverag(?:e[sd]?|ing)|seamless(?:ly)?|blazing(?:ly)?|effortless(?:ly)?)\b/i,
    'use, or leave it out',
  ],
  [/\b(?:simply|obviously|of course|just add|easily)\b/i, 'leave it out'],
  [/\bin order to\b/i, 'to'],
  [/\bdue to the fact that\b/i, 'because'],
  [/\bprior to\b/i, 'before'],
  [/\bturns? of the (?:event )?loop\b/i, 'iteration of the event loop'],
];

/** @typedef {NonNullable<import('@textlint/kernel').TextlintKernelOptions['rules']>[number]['rule']} Rule */

/**
 * Sentences of paragraphs, list items and cells of tables have at most MAX_WORDS words. Code counts as one word.
 * @type {Rule}
 */
export const sentenceLength = (context) => {
  const { Syntax, RuleError, report } = context;
  const check = (/** @type {any} */ node) => {
    for (const { sentence, count } of sentencesOf(node)) {
      if (count <= MAX_WORDS) continue;
      const message = `Expected a sentence of at most ${MAX_WORDS} words, got ${count}. Make two of it.`;
      report(/** @type {any} */ (sentence), new RuleError(message));
    }
  };
  return { [Syntax.Paragraph]: check, [Syntax.TableCell]: check };
};

/**
 * No word that has a plainer one.
 * @type {Rule}
 */
export const plainWords = (context) => {
  const { Syntax, RuleError, report, getSource, locator } = context;
  return {
    [Syntax.Str](node) {
      const text = getSource(node);
      for (const [pattern, instead] of REPLACEMENTS) {
        const found = /** @type {RegExp} */ (pattern).exec(text);
        if (found === null) continue;
        const range = /** @type {const} */ ([found.index, found.index + found[0].length]);
        report(node, new RuleError(`Instead of "${found[0]}": ${instead}.`, { padding: locator.range(range) }));
      }
    },
  };
};

/**
 * The words of a page as it stands in its file: signs alone, such as the bars of a table, do not count.
 * @param {string} text
 */
export function pageWords(text) {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/**
 * The sentences of a paragraph or cell with their number of words.
 * @param {any} node
 */
function sentencesOf(node) {
  return splitAST({ ...node, type: 'Paragraph' })
    .children.filter(({ type }) => type === 'Sentence')
    .map((sentence) => ({
      sentence,
      count: wordsOf(sentence)
        .split(/\s+/)
        .filter((word) => /[\p{L}\p{N}]/u.test(word)).length,
    }));
}

/**
 * @param {any} node
 * @returns {string}
 */
function wordsOf(node) {
  if (node.type === 'Code') return 'code';
  // The name of a test is what it is.
  if (node.type === 'Link' && /\.test\.ts(?:#|$)/.test(node.url)) return '';
  if (node.children !== undefined) return node.children.map(wordsOf).join('');
  return node.type === 'Str' || node.type === 'Break' ? (node.value ?? ' ') : '';
}
