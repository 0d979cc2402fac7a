'use strict';
/**
 * A scheduler looks for the next run of a cron expression minute by minute; the expression matches hardly ever.
 * @culprit nextRun
 * @cause javascript
 * @parent schedule
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

// <culprit>
function matches(schedule, date) {
  return (
    schedule.minute === date.getUTCMinutes() &&
    schedule.hour === date.getUTCHours() &&
    schedule.day === date.getUTCDate() &&
    schedule.month === date.getUTCMonth() &&
    schedule.weekday === date.getUTCDay()
  );
}

function nextRun(schedule, from) {
  let at = from;
  for (;;) {
    at += 60_000;
    const date = new Date(at);
    if (matches(schedule, date)) return date;
  }
}
// </culprit>

trace.getTracer('jobs').startActiveSpan('schedule', (span) => {
  setTimeout(() => {
    truth.begin();
    nextRun({ minute: 0, hour: 3, day: 29, month: 1, weekday: 1 }, Date.UTC(2028, 2, 1));
    truth.end();
    span.end();
  }, 300);
});
