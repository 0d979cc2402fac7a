'use strict';
/**
 * A breadth-first search takes its next node from the front of an array, which moves all others.
 * @culprit distances
 * @cause javascript native gc
 * @parent route
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const width = 330;

// <culprit>
function distances(size) {
  const seen = new Set([0]);
  const queue = [{ at: 0, steps: 0 }];
  let farthest = 0;
  while (queue.length > 0) {
    const { at, steps } = queue.shift();
    farthest = Math.max(farthest, steps);
    for (const next of [at + 1, at - 1, at + size, at - size]) {
      if (next < 0 || next >= size * size || seen.has(next)) continue;
      seen.add(next);
      queue.push({ at: next, steps: steps + 1 });
    }
  }
  return farthest;
}
// </culprit>

trace.getTracer('routes').startActiveSpan('route', (span) => {
  setTimeout(() => {
    truth.begin();
    const until = performance.now() + 350;
    while (performance.now() < until) distances(width);
    truth.end();
    span.end();
  }, 300);
});
