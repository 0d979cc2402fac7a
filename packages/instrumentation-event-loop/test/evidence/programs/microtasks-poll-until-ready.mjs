/**
 * An asynchronous function polls a flag that no microtask sets: its awaits never leave the iteration.
 * @culprit pollUntilReady
 * @parent wait-for-cache
 */
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const cache = { readyAt: Infinity };

async function isReady() {
  return performance.now() > cache.readyAt;
}

async function pollUntilReady() {
  let polls = 0;
  while (!(await isReady())) polls += 1;
  return polls;
}

trace.getTracer('cache').startActiveSpan('wait-for-cache', (span) => {
  setTimeout(async () => {
    truth.begin();
    cache.readyAt = performance.now() + 450;
    await pollUntilReady();
    truth.end();
    span.end();
  }, 400);
});
