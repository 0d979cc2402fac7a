'use strict';
/**
 * A pool gets its functions as text and evaluates them: they have no file, and nothing else of the application runs.
 * @culprit countPrimes
 * @file node_modules/text-pool/index.js
 * @cause javascript
 * @parent count-primes
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const { submit } = require('text-pool');
const truth = require('../kit/truth.cjs');

function countPrimes(limit, until) {
  let count = 0;
  while (performance.now() < until) {
    const composite = new Uint8Array(limit);
    for (let number = 2; number < limit; number += 1) {
      if (composite[number]) continue;
      count += 1;
      for (let multiple = number * 2; multiple < limit; multiple += number) composite[multiple] = 1;
    }
  }
  return count;
}

setTimeout(() => {
  trace.getTracer('pool').startActiveSpan('count-primes', (span) => {
    submit(String(countPrimes), {
      before: () => truth.begin(),
      args: () => [20_000, performance.now() + 400],
      after: () => {
        truth.end();
        span.end();
      },
    });
  });
}, 300);
