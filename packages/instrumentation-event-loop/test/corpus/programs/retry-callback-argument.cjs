'use strict';
/**
 * A helper that measures and repeats gets its work as the last of several arguments, each on a line.
 * @culprit importRows
 * @cause javascript
 * @parent import
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

function withRetry(name, work) {
  try {
    return work();
  } catch {
    return work(name);
  }
}

// <culprit>
function importRows(until) {
  // prettier-ignore
  return withRetry(
    'import of rows',
    () => {
      let checksum = 0;
      for (let row = 0; performance.now() < until; row += 1) {
        for (let column = 0; column < 5000; column += 1) checksum = (checksum * 33 + row * column) % 65_521;
      }
      return checksum;
    },
  );
}
// </culprit>

trace.getTracer('importer').startActiveSpan('import', (span) => {
  setTimeout(() => {
    truth.begin();
    importRows(performance.now() + 400);
    truth.end();
    span.end();
  }, 300);
});
