'use strict';
/**
 * Thirty loops that each give way after a millisecond: the loop is always busy, and no iteration is long.
 * @culprit *
 * @parent any
 * @silent
 */
const truth = require('../kit/truth.cjs');

const until = performance.now() + 1500;
let iteration = 0;
function poll() {
  const end = performance.now() + 1;
  while (performance.now() < end);
  if (performance.now() < until) setImmediate(poll);
}
function mark() {
  if (iteration > 0) truth.end(`iteration-${iteration}`);
  iteration += 1;
  if (performance.now() > until) return;
  truth.begin(`iteration-${iteration}`);
  setImmediate(mark);
}
setTimeout(() => {
  mark();
  for (let i = 0; i < 30; i++) setImmediate(poll);
}, 300);
