/**
 * A roster is planned by trying every nurse for every shift and going back where a rule is broken, from TypeScript.
 * @culprit plan isAllowed
 * @cause javascript gc
 * @parent plan-roster
 * @resource Timeout
 * @flags --enable-source-maps
 */
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const nurses = 6;

// <culprit>
function isAllowed(roster: readonly number[], nurse: number): boolean {
  if (roster.slice(-2).includes(nurse)) return false;
  return roster.filter((other) => other === nurse).length < 3;
}

function plan(roster: number[], shifts: number, found: { count: number }): void {
  if (roster.length === shifts) {
    found.count += 1;
    return;
  }
  for (let nurse = 0; nurse < nurses; nurse += 1) {
    if (isAllowed(roster, nurse)) plan([...roster, nurse], shifts, found);
  }
}
// </culprit>

trace.getTracer('roster').startActiveSpan('plan-roster', (span) => {
  setTimeout(() => {
    truth.begin();
    const until = performance.now() + 300;
    while (performance.now() < until) plan([], 8, { count: 0 });
    truth.end();
    span.end();
  }, 300);
});
