'use strict';
/**
 * Iterations of 80 ms each: below the threshold, so no block.
 * @culprit *
 * @parent any
 * @silent
 */
const truth = require('../kit/truth.cjs');

let rest = 12;
function slice() {
  truth.begin(`slice-${rest}`);
  const until = performance.now() + 80;
  while (performance.now() < until);
  truth.end(`slice-${rest}`);
  if (--rest > 0) setTimeout(slice, 5);
}
setTimeout(slice, 300);
