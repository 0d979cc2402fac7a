'use strict';
/**
 * A report is compressed with the synchronous function before it is sent.
 * @culprit compressReport
 * @cause native javascript
 * @parent send-report
 * @resource Timeout
 */
const zlib = require('node:zlib');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const line = 'timestamp,region,product,quantity,price\n2026-11-21T08:00:00Z,eu-west,widget,12,9.99\n';
const report = Buffer.from(Array.from({ length: 40_000 }, (_, index) => `${index},${line}`).join(''));

// <culprit>
function compressReport(buffer) {
  const until = performance.now() + 400;
  let size = 0;
  while (performance.now() < until) size = zlib.gzipSync(buffer, { level: 9 }).length;
  return size;
}
// </culprit>

trace.getTracer('reports').startActiveSpan('send-report', (span) => {
  setTimeout(() => {
    truth.begin();
    compressReport(report);
    truth.end();
    span.end();
  }, 300);
});
