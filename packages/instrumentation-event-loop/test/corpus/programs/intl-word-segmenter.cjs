'use strict';
/**
 * An editor counts the words of all articles with the segmenter for the reader's language.
 * @culprit countWords
 * @cause javascript native gc
 * @parent statistics
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const articles = Array.from({ length: 400 }, (_, id) =>
  `Der Artikel ${id} hat viele Wörter, und alle werden gezählt. `.repeat(12),
);

// <culprit>
function countWords(texts) {
  const segmenter = new Intl.Segmenter('de', { granularity: 'word' });
  let words = 0;
  for (const text of texts) {
    for (const { isWordLike } of segmenter.segment(text)) if (isWordLike) words += 1;
  }
  return words;
}
// </culprit>

trace.getTracer('editor').startActiveSpan('statistics', (span) => {
  setTimeout(() => {
    truth.begin();
    const until = performance.now() + 400;
    while (performance.now() < until) countWords(articles);
    truth.end();
    span.end();
  }, 300);
});
