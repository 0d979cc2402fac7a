'use strict';
/**
 * Hundreds of reminders have a timer each and are due at the same moment: each is quick, all together are not.
 * @culprit remind
 * @cause javascript
 * @parent remind-all
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const texts = Array.from({ length: 6000 }, (_, id) => `appointment ${id}`);
const count = 250;
let sent = 0;

// <culprit>
function remind(customer) {
  if (sent === 0) truth.begin();
  let body = '';
  for (const text of texts) body += `${customer}: ${text}\n`.toUpperCase();
  sent += body.length > 0 ? 1 : 0;
  if (sent === count) truth.end();
}
// </culprit>

setTimeout(() => {
  trace.getTracer('reminders').startActiveSpan('remind-all', (span) => {
    for (let customer = 0; customer < count; customer += 1) setTimeout(remind, 50, customer);
    setTimeout(() => span.end(), 60);
    // A timer is due by the millisecond in which it was made. After a short callback, all of them are, in one iteration.
    setTimeout(() => {
      for (const end = performance.now() + 40; performance.now() < end;);
    }, 15);
  });
}, 300);
