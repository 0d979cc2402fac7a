'use strict';
/**
 * A library calls the application's callback, which does the work.
 * @culprit overlaps
 * @cause javascript
 * @parent find-conflicts
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const { eachPair } = require('each-of');
const truth = require('../kit/truth.cjs');

const meetings = Array.from({ length: 250 }, (_, index) => ({
  from: index * 10,
  to: index * 10 + 25,
  rooms: [index % 9],
}));

// <culprit>
function overlaps(left, right) {
  let shared = 0;
  for (let minute = left.from; minute < left.to; minute += 1) {
    if (minute >= right.from && minute < right.to && left.rooms.includes(right.rooms[0])) shared += 1;
  }
  return shared > 0;
}
// </culprit>

trace.getTracer('calendar').startActiveSpan('find-conflicts', (span) => {
  setTimeout(() => {
    truth.begin();
    const until = performance.now() + 400;
    while (performance.now() < until) eachPair(meetings, overlaps);
    truth.end();
    span.end();
  }, 300);
});
