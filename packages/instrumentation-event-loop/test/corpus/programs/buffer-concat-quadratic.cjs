'use strict';
/**
 * A multipart body is collected with `Buffer.concat` for each of its small chunks.
 * @culprit collect
 * @cause native javascript gc
 * @parent upload
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const chunks = Array.from({ length: 1500 }, (_, index) => Buffer.alloc(1024, index));

// <culprit>
function collect(parts) {
  let body = Buffer.alloc(0);
  for (const part of parts) body = Buffer.concat([body, part]);
  return body;
}
// </culprit>

trace.getTracer('files').startActiveSpan('upload', (span) => {
  setTimeout(() => {
    truth.begin();
    const until = performance.now() + 400;
    while (performance.now() < until) collect(chunks);
    truth.end();
    span.end();
  }, 300);
});
