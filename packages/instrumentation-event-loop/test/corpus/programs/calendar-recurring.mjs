/**
 * A calendar expands the recurring appointments of a whole team, day by day, to show one week.
 * @culprit expand
 * @cause javascript gc native
 * @parent team-week
 * @resource Timeout
 */
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const appointments = Array.from({ length: 400 }, (_, id) => ({
  id,
  start: Date.UTC(2021, id % 12, 1),
  everyDays: 1 + (id % 3),
}));

// <culprit>
function expand({ id, start, everyDays }, until) {
  const occurrences = [];
  const day = new Date(start);
  while (day.getTime() < until) {
    occurrences.push({ id, at: new Date(day) });
    day.setDate(day.getDate() + everyDays);
  }
  return occurrences;
}

function teamWeek(from, until) {
  return appointments.flatMap((appointment) => expand(appointment, until)).filter(({ at }) => at.getTime() >= from);
}
// </culprit>

trace.getTracer('calendar').startActiveSpan('team-week', (span) => {
  setTimeout(() => {
    truth.begin();
    const week = teamWeek(Date.UTC(2026, 10, 16), Date.UTC(2026, 10, 23));
    truth.end();
    span.setAttribute('appointments', week.length);
    span.end();
  }, 300);
});
