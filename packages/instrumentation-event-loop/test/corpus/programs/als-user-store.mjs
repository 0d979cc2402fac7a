/**
 * The application uses AsyncLocalStorage itself; its store and the span's context do not disturb each other.
 * @culprit auditTrail
 * @cause javascript gc native
 * @parent handle-command
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const session = new AsyncLocalStorage();

// <culprit>
function auditTrail(events) {
  const { user } = session.getStore();
  return events.map((event) => ({ ...event, user, label: `${user}:${event.kind}:${event.at.toString(36)}` }));
}
// </culprit>

const events = Array.from({ length: 5000 }, (_, index) => ({ at: index, kind: index % 7 }));

await session.run({ user: 'alice' }, () =>
  trace.getTracer('commands').startActiveSpan('handle-command', async (span) => {
    await sleep(300);
    truth.begin();
    const until = performance.now() + 400;
    while (performance.now() < until) auditTrail(events);
    truth.end();
    span.end();
  }),
);
