'use strict';
/**
 * A lock in shared memory that is not released in time.
 * @culprit acquire
 * @cause waiting
 * @parent update-index
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const lock = new Int32Array(new SharedArrayBuffer(4));
Atomics.store(lock, 0, 1);

// <culprit>
function acquire(cell, timeoutMs) {
  truth.begin();
  while (Atomics.compareExchange(cell, 0, 0, 1) !== 0) {
    if (Atomics.wait(cell, 0, 1, timeoutMs) === 'timed-out') break;
  }
  truth.end();
}
// </culprit>

trace.getTracer('search').startActiveSpan('update-index', (span) => {
  setTimeout(() => {
    acquire(lock, 450);
    span.end();
  }, 300);
});
