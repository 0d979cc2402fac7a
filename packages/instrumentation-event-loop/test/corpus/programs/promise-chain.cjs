'use strict';
/**
 * The third step of a promise chain is the slow one.
 * @culprit linkParagraphs
 * @cause javascript gc native
 * @parent publish
 */
const { readFile } = require('node:fs/promises');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const glossary = Array.from({ length: 400 }, (_, index) => `term${index}`);

const splitParagraphs = (text) => text.split('\n');

// <culprit>
function linkParagraphs(paragraphs) {
  truth.begin();
  const until = performance.now() + 400;
  let linked = paragraphs;
  while (performance.now() < until) {
    linked = paragraphs.map((paragraph) =>
      glossary.reduce((text, term) => text.split(term).join(`<a>${term}</a>`), paragraph),
    );
  }
  truth.end();
  return linked;
}
// </culprit>

trace.getTracer('cms').startActiveSpan('publish', (span) => {
  setTimeout(() => {
    readFile(__filename, 'utf8')
      .then(splitParagraphs)
      .then((paragraphs) => paragraphs.filter(Boolean))
      .then(linkParagraphs)
      .then((paragraphs) => paragraphs.join('\n'))
      .finally(() => span.end());
  }, 300);
});
