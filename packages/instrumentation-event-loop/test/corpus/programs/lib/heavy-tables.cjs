'use strict';
// A module that computes its tables when it is loaded.
const truth = require('../../kit/truth.cjs');

// <culprit>
truth.begin();
const until = performance.now() + 400;
const primes = [2];
for (let candidate = 3; performance.now() < until; candidate += 2) {
  let isPrime = true;
  for (const prime of primes) {
    if (candidate % prime === 0) {
      isPrime = false;
      break;
    }
  }
  if (isPrime) primes.push(candidate);
}
truth.end();
// </culprit>

module.exports = { primes };
