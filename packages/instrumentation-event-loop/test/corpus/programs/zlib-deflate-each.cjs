'use strict';
/**
 * An archive writer compresses every message on its own, synchronously.
 * @culprit compressMessages
 * @cause native javascript gc
 * @parent archive
 * @resource Immediate
 */
const { deflateRawSync } = require('node:zlib');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const messages = Array.from({ length: 6000 }, (_, id) =>
  `${id} `.padEnd(3000, 'The quick brown fox jumps over the dog. '),
);

// <culprit>
function compressMessages(list) {
  const parts = [];
  let size = 0;
  for (const message of list) {
    const part = deflateRawSync(message);
    size += part.length;
    parts.push(part);
  }
  return Buffer.concat(parts, size);
}
// </culprit>

trace.getTracer('mail').startActiveSpan('archive', (span) => {
  setTimeout(() => {
    setImmediate(() => {
      truth.begin();
      compressMessages(messages);
      truth.end();
      span.end();
    });
  }, 300);
});
