/**
 * `Promise.all` over many asynchronous functions that never wait: all of them compute one after the other.
 * @culprit similarity
 * @cause javascript
 * @parent rank-candidates
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const candidates = Array.from({ length: 4000 }, (_, id) => ({
  id,
  vector: Float64Array.from({ length: 256 }, (_, i) => (id * i) % 17),
}));
const wanted = Array.from({ length: 350 }, (_, id) => Float64Array.from({ length: 256 }, (_, i) => (id + i) % 13));

// <culprit>
function similarity(a, b) {
  let dot = 0;
  for (let index = 0; index < a.length; index += 1) dot += a[index] * b[index];
  return dot;
}

async function score({ id, vector }) {
  let best = 0;
  for (const other of wanted) best = Math.max(best, similarity(vector, other));
  return { id, best };
}
// </culprit>

await trace.getTracer('hiring').startActiveSpan('rank-candidates', async (span) => {
  await sleep(300);
  truth.begin();
  const scores = await Promise.all(candidates.map((candidate) => score(candidate)));
  truth.end();
  span.setAttribute('candidates', scores.length);
  span.end();
});
