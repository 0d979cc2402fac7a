'use strict';
/**
 * One backtracking regular expression, called by each method that runs one.
 * @culprit *
 * @parent none
 */
const truth = require('../kit/truth.cjs');

const pattern = /^(a|a?)+$/;
const forms = {
  test: (text) => pattern.test(text),
  exec: (text) => pattern.exec(text),
  match: (text) => text.match(pattern),
  search: (text) => text.search(pattern),
  replace: (text) => text.replace(pattern, ''),
  split: (text) => text.split(pattern),
  matchAll: (text) => [...text.matchAll(new RegExp(pattern, 'g'))],
  replaceAll: (text) => text.replaceAll(new RegExp(pattern, 'g'), ''),
};
const text = `${'a'.repeat(19)}!`;

function validate(form) {
  return forms[form](text);
}

const todo = Object.keys(forms);
setTimeout(function next() {
  const form = todo.shift();
  if (form === undefined) return;
  truth.begin(form);
  const until = performance.now() + 250;
  while (performance.now() < until) validate(form);
  truth.end(form);
  setTimeout(next, 200);
}, 400);
