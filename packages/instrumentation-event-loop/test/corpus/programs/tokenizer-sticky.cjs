'use strict';
/**
 * A template language is cut into tokens by a list of sticky regular expressions, tried one after the other.
 * @culprit tokenize
 * @cause javascript native gc
 * @parent compile
 * @resource Immediate
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const kinds = [
  ['number', /\d+(\.\d+)?/y],
  ['name', /[A-Za-z_]\w*/y],
  ['string', /"(?:[^"\\]|\\.)*"/y],
  ['space', /\s+/y],
  ['symbol', /[{}()[\].,;:+*/=<>!-]/y],
];
const source = 'let total = price * 1.19 + shipping("fast", 4); if (total > 100) { free(total); }\n'.repeat(1500);

// <culprit>
function tokenize(text) {
  const tokens = [];
  let at = 0;
  while (at < text.length) {
    for (const [kind, pattern] of kinds) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (match === null) continue;
      tokens.push({ kind, text: match[0] });
      at += match[0].length;
      break;
    }
  }
  return tokens;
}
// </culprit>

trace.getTracer('templates').startActiveSpan('compile', (span) => {
  setTimeout(() => {
    setImmediate(() => {
      truth.begin();
      const until = performance.now() + 400;
      while (performance.now() < until) tokenize(source);
      truth.end();
      span.end();
    });
  }, 300);
});
