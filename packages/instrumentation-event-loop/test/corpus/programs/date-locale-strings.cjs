'use strict';
/**
 * A CSV export formats every date for the reader's time zone.
 * @culprit toRow
 * @cause javascript native gc
 * @parent export-csv
 * @resource Immediate
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const bookings = Array.from({ length: 5000 }, (_, id) => ({ id, from: new Date(1.7e12 + id * 3.6e6) }));

// <culprit>
function toRow({ id, from }) {
  return [id, from.toLocaleDateString('de-DE', { timeZone: 'Europe/Berlin' }), from.toISOString()].join(';');
}
// </culprit>

trace.getTracer('bookings').startActiveSpan('export-csv', (span) => {
  setTimeout(() => {
    setImmediate(() => {
      truth.begin();
      const until = performance.now() + 400;
      const rows = [];
      for (let index = 0; performance.now() < until; index += 1) rows.push(toRow(bookings[index % bookings.length]));
      truth.end();
      span.end();
    });
  }, 300);
});
