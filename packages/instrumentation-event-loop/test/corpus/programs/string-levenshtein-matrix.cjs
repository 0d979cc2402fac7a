'use strict';
/**
 * Address matching compares every pair with a matrix of edit distances.
 * @culprit distance
 * @cause javascript
 * @parent none
 * @resource Timeout
 */
const truth = require('../kit/truth.cjs');

const addresses = Array.from(
  { length: 200 },
  (_, index) => `${index} Long Street ${index * 7}, Some City ${index % 13}`,
);

// <culprit>
function distance(left, right) {
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const substitution = previous[column - 1] + (left[row - 1] === right[column - 1] ? 0 : 1);
      current[column] = Math.min(previous[column] + 1, current[column - 1] + 1, substitution);
    }
    previous = current;
  }
  return previous[right.length];
}
// </culprit>

function closestPairs(list, until) {
  let closest = Infinity;
  for (;;) {
    for (const left of list) {
      for (const right of list) {
        if (left !== right) closest = Math.min(closest, distance(left, right));
        if (performance.now() > until) return closest;
      }
    }
  }
}

setTimeout(() => {
  truth.begin();
  closestPairs(addresses, performance.now() + 400);
  truth.end();
}, 300);
