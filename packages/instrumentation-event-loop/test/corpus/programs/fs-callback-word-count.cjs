'use strict';
/**
 * A file is read asynchronously and counted synchronously, in an anonymous callback.
 * @culprit countWords
 * @cause javascript gc native
 * @parent word-count
 * @resource FSREQCALLBACK ReadFileJob
 */
const fs = require('node:fs');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

// <culprit>
function countWords(text) {
  const counts = {};
  for (const [word] of text.matchAll(/[\p{L}\d_]+/gu))
    counts[word.toLowerCase()] = (counts[word.toLowerCase()] ?? 0) + 1;
  return counts;
}
// </culprit>

trace.getTracer('texts').startActiveSpan('word-count', (span) => {
  setTimeout(() => {
    fs.readFile(__filename, 'utf8', (error, text) => {
      truth.begin();
      const until = performance.now() + 400;
      while (performance.now() < until) countWords(text);
      truth.end();
      span.end();
    });
  }, 300);
});
