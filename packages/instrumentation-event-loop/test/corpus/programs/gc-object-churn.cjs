'use strict';
/**
 * A cache of small linked objects grows until the collector does most of the work.
 * @culprit fillCache
 * @cause gc javascript
 * @parent warm-cache
 * @resource Timeout
 * @flags --max-semi-space-size=4
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const cache = new Map();

// <culprit>
function fillCache(until) {
  for (let key = 0; performance.now() < until; key += 1) {
    cache.set(key % 150_000, { key, previous: { key: key - 1 }, tags: [`tag-${key}`, { nested: [key] }] });
  }
}
// </culprit>

trace.getTracer('cache').startActiveSpan('warm-cache', (span) => {
  setTimeout(() => {
    truth.begin();
    fillCache(performance.now() + 500);
    truth.end();
    span.end();
  }, 300);
});
