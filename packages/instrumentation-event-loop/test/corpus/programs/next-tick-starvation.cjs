'use strict';
/**
 * A parser that continues by `process.nextTick`, which is not an iteration of the loop.
 * @culprit parseRecord
 * @cause javascript
 * @parent parse-feed
 * @resource TickObject
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const feed = Array.from({ length: 400 }, (_, index) => `id=${index};name=item ${index};tags=a,b,c,d`).join('\n');

// <culprit>
function parseRecord(line) {
  const record = {};
  for (const part of line.split(';')) {
    const [key, value] = part.split('=');
    record[key] = value.includes(',') ? value.split(',') : value;
  }
  return record;
}
// </culprit>

function parseFeed(lines, until, done) {
  for (const line of lines) parseRecord(line);
  if (performance.now() < until) process.nextTick(parseFeed, lines, until, done);
  else done();
}

trace.getTracer('feeds').startActiveSpan('parse-feed', (span) => {
  setTimeout(() => {
    truth.begin();
    process.nextTick(parseFeed, feed.split('\n'), performance.now() + 400, () => {
      truth.end();
      span.end();
    });
  }, 300);
});
