/**
 * A job queue runs the next job in a microtask, so that as long as there are jobs nothing else runs.
 * @culprit score
 * @cause javascript
 * @parent drain-queue
 */
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const words = 'the quick brown fox jumps over the lazy dog and runs away from every hound in town'.split(' ');

// <culprit>
function score(job) {
  let total = 0;
  for (let round = 0; round < 300; round += 1) {
    for (const word of words) {
      for (const letter of word) total = (total * 31 + letter.charCodeAt(0) + job) | 0;
    }
  }
  return total;
}
// </culprit>

async function drain(until) {
  let done = 0;
  while (performance.now() < until) {
    await null;
    score(done);
    done += 1;
  }
  return done;
}

trace.getTracer('jobs').startActiveSpan('drain-queue', (span) => {
  setTimeout(() => {
    truth.begin();
    void drain(performance.now() + 400).then(() => {
      truth.end();
      span.end();
    });
  }, 300);
});
