'use strict';
/**
 * A backup hashes and compresses file after file, each in a native call of some milliseconds.
 * @culprit backUp
 * @cause native javascript
 * @parent backup
 * @resource Timeout
 */
const { createHash, randomBytes } = require('node:crypto');
const { deflateSync } = require('node:zlib');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const file = randomBytes(200_000);

// <culprit>
function backUp(until) {
  const entries = [];
  while (performance.now() < until) {
    const digest = createHash('sha256').update(file).digest('hex');
    entries.push(`${digest} ${deflateSync(file).length}`);
  }
  return entries;
}
// </culprit>

trace.getTracer('backup').startActiveSpan('backup', (span) => {
  setTimeout(() => {
    truth.begin();
    backUp(performance.now() + 400);
    truth.end();
    span.end();
  }, 300);
});
