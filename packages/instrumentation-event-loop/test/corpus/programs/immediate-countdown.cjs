'use strict';
/**
 * A function hands itself to `setImmediate` thousands of times and blocks in the last iteration only.
 * @culprit sumOfRoots
 * @cause javascript
 * @parent count-down
 * @resource Immediate
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

// <culprit>
function sumOfRoots(until) {
  let sum = 0;
  for (let number = 0; performance.now() < until; number += 1) sum += Math.sqrt(number);
  return sum;
}

function countDown(remaining, span) {
  if (remaining > 0) {
    setImmediate(countDown, remaining - 1, span);
    return;
  }
  truth.begin();
  sumOfRoots(performance.now() + 400);
  truth.end();
  span.end();
}
// </culprit>

setTimeout(() => {
  trace.getTracer('counter').startActiveSpan('count-down', (span) => {
    setImmediate(countDown, 2500, span);
  });
}, 300);
