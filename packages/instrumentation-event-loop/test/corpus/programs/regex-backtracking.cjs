'use strict';
/**
 * A validation pattern with nested quantifiers meets an input that almost matches.
 * @culprit isValidName
 * @cause native
 * @parent validate-form
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const pattern = /^([a-z]+\s?)+$/;

// <culprit>
function isValidName(name) {
  return pattern.test(name);
}
// </culprit>

// At start-up, before the loop runs: how many letters take this machine about 300 ms.
let letters = 18;
for (let took = 0; took < 400; letters += 1) {
  const started = performance.now();
  isValidName(`${'a'.repeat(letters)}!`);
  took = performance.now() - started;
}

trace.getTracer('forms').startActiveSpan('validate-form', (span) => {
  setTimeout(() => {
    truth.begin();
    isValidName(`${'a'.repeat(letters)}!`);
    truth.end();
    span.end();
  }, 300);
});
