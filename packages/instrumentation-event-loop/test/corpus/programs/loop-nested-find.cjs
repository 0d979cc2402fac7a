'use strict';
/**
 * A trace view finds the parent of every log by a scan of all logs.
 * @culprit createSpans
 * @cause javascript
 * @parent render-trace
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const logs = Array.from({ length: 20_000 }, (_, index) => ({ id: `log-${index}`, parentId: `log-${index - 1}` }));

// <culprit>
function createSpans(entries) {
  truth.begin();
  const until = performance.now() + 400;
  const spans = [];
  for (const log of entries) {
    if (performance.now() > until) break;
    spans.push({ log, parent: entries.find((candidate) => candidate.id === log.parentId) });
  }
  truth.end();
  return spans;
}
// </culprit>

trace.getTracer('viewer').startActiveSpan('render-trace', (span) => {
  setTimeout(() => {
    createSpans(logs.toReversed());
    span.end();
  }, 300);
});
