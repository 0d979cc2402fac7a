'use strict';
/**
 * A metrics timer sorts the same growing window once for each percentile.
 * @culprit percentile
 * @cause javascript
 * @parent none
 * @resource Timeout
 */
const truth = require('../kit/truth.cjs');

const window = Array.from({ length: 40_000 }, (_, index) => Math.abs(Math.sin(index) * 1000));

// <culprit>
function percentile(values, share) {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length * share)];
}
// </culprit>

let turn = 0;
const timer = setInterval(() => {
  turn += 1;
  if (turn < 4) return;
  clearInterval(timer);
  truth.begin();
  const until = performance.now() + 400;
  while (performance.now() < until) [0.5, 0.9, 0.99].map((share) => percentile(window, share));
  truth.end();
}, 100);
