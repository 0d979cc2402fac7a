/**
 * Thousands of small microtasks, queued one after the other by a cache that notifies its subscribers.
 * @culprit notifySubscriber
 * @cause javascript
 * @parent cache-changed
 */
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const snapshot = Array.from({ length: 500 }, (_, index) => index * 1.5);

// <culprit>
function notifySubscriber(seen) {
  let drift = 0;
  for (let index = 0; index < snapshot.length; index += 1) drift += Math.abs(Math.sqrt(snapshot[index]) - seen);
  return drift;
}
// </culprit>

function notifyAll(until, count, done) {
  if (performance.now() > until) {
    done(count);
    return;
  }
  for (let index = 0; index < 100; index += 1) queueMicrotask(() => notifySubscriber(index));
  queueMicrotask(() => notifyAll(until, count + 100, done));
}

trace.getTracer('cache').startActiveSpan('cache-changed', (span) => {
  setTimeout(() => {
    truth.begin();
    notifyAll(performance.now() + 400, 0, () => {
      truth.end();
      span.end();
    });
  }, 300);
});
