'use strict';
/**
 * One operation on huge integers, which V8 does not interrupt.
 * @culprit fingerprint
 * @parent fingerprint
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

function fingerprint(base, exponent) {
  return base ** exponent % 1_000_003n;
}

trace.getTracer('keys').startActiveSpan('fingerprint', (span) => {
  setTimeout(() => {
    truth.begin();
    fingerprint(3n, 2_000_000n);
    truth.end();
    span.end();
  }, 400);
});
