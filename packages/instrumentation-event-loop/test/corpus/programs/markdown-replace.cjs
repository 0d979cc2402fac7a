'use strict';
/**
 * Markdown becomes HTML by a dozen regular expressions with callbacks, over the whole text each time.
 * @culprit toHtml
 * @cause javascript native gc
 * @parent render-docs
 * @resource FSREQCALLBACK ReadFileJob
 */
const fs = require('node:fs');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const markdown =
  '# Title\n\nSome *words* with **weight** and a [link](https://example.org/a?b=c).\n\n- one\n- two\n'.repeat(300);

// <culprit>
function toHtml(text) {
  return text
    .replace(/&/g, '&amp;')
    .replace(/^(#+) (.*)$/gm, (_, marks, title) => `<h${marks.length}>${title}</h${marks.length}>`)
    .replace(/\*\*([^*]+)\*\*/g, (_, strong) => `<b>${strong}</b>`)
    .replace(/\*([^*]+)\*/g, (_, emphasis) => `<i>${emphasis}</i>`)
    .replace(/\[([^\]]+)\]\(([^)]+)\)/g, (_, label, href) => `<a href="${encodeURI(href)}">${label}</a>`)
    .replace(/^- (.*)$/gm, (_, item) => `<li>${item}</li>`)
    .replace(/\n{2,}/g, () => '<p>');
}
// </culprit>

trace.getTracer('docs').startActiveSpan('render-docs', (span) => {
  setTimeout(() => {
    fs.readFile(__filename, () => {
      truth.begin();
      const until = performance.now() + 400;
      while (performance.now() < until) toHtml(markdown);
      truth.end();
      span.end();
    });
  }, 300);
});
