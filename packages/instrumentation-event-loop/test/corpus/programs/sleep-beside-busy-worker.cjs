'use strict';
/**
 * The thread sleeps for a lock while a worker thread of the same process computes: the CPU time is not its own.
 * @culprit acquire
 * @cause waiting
 * @parent update-stock
 * @resource Timeout
 */
const { Worker } = require('node:worker_threads');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const lock = new Int32Array(new SharedArrayBuffer(4));

// <culprit>
function acquire(ms) {
  const outcome = Atomics.wait(lock, 0, 0, ms);
  if (outcome === 'ok') throw new Error('Expected a lock that is not released.');
}
// </culprit>

trace.getTracer('stock').startActiveSpan('update-stock', (span) => {
  const busy = new Worker('for (;;);', { eval: true });
  busy.once('online', () => {
    setTimeout(() => {
      truth.begin();
      acquire(400);
      truth.end();
      span.end();
      void busy.terminate();
    }, 300);
  });
});
