'use strict';
/**
 * A native call is the last thing that a callback does, and the next request's callback follows in the same iteration.
 * @culprit hashAll
 * @parent POST /signup
 */
const { pbkdf2Sync } = require('node:crypto');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const tracer = trace.getTracer('server');

function hashAll() {
  pbkdf2Sync('password', 'salt', 400_000, 32, 'sha256');
}

tracer.startActiveSpan('POST /signup', (span) => {
  setTimeout(() => {
    truth.begin();
    hashAll();
    truth.end();
  }, 400);
  setTimeout(() => span.end(), 900);
});
tracer.startActiveSpan('GET /health', (span) => {
  setTimeout(() => {
    let sum = 0;
    for (let i = 0; i < 1000; i++) sum += i % 7;
    if (sum > 0) span.end();
  }, 400);
});
