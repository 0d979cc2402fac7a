'use strict';
/**
 * Full collections of a heap with a million objects, in a block of less than half a second.
 * @culprit compactCaches
 * @parent compact
 * @flags --expose-gc
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const sessions = Array.from({ length: 600_000 }, (_, id) => ({ id, tags: [`t${id}`, [id]] }));

function compactCaches() {
  const until = performance.now() + 350;
  while (performance.now() < until) globalThis.gc();
  return sessions.length;
}

trace.getTracer('caches').startActiveSpan('compact', (span) => {
  setTimeout(() => {
    truth.begin();
    compactCaches();
    truth.end();
    span.end();
  }, 600);
});
