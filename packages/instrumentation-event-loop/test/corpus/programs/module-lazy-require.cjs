'use strict';
/**
 * A module is required in the first request that needs it, and computes its tables while it loads.
 * @culprit *
 * @file lib/heavy-tables.cjs
 * @cause javascript
 * @parent first-request
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');

trace.getTracer('api').startActiveSpan('first-request', (span) => {
  setTimeout(() => {
    const { primes } = require('./lib/heavy-tables.cjs');
    span.setAttribute('primes', primes.length);
    span.end();
  }, 300);
});
