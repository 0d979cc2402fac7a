'use strict';
/**
 * A checksum over a whole upload, one large `update` after another.
 * @culprit checksum
 * @cause native
 * @parent store-upload
 * @resource Immediate
 */
const crypto = require('node:crypto');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const upload = Buffer.alloc(48 * 1024 * 1024, 'upload');

// <culprit>
function checksum(buffer) {
  const until = performance.now() + 400;
  const hash = crypto.createHash('sha256');
  while (performance.now() < until) hash.update(buffer);
  return hash.digest('hex');
}
// </culprit>

trace.getTracer('files').startActiveSpan('store-upload', (span) => {
  setTimeout(() => {
    setImmediate(() => {
      truth.begin();
      checksum(upload);
      truth.end();
      span.end();
    });
  }, 300);
});
