/**
 * An abort handler walks the whole dependency graph before it gives up.
 * @culprit visit
 * @cause javascript
 * @parent cancel-build
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const graph = new Map(
  Array.from({ length: 2000 }, (_, id) => [id, [(id * 2 + 1) % 2000, (id * 3 + 2) % 2000, (id + 1) % 2000]]),
);

// <culprit>
function visit(node, seen, depth = 0) {
  if (seen.has(node) || depth > 3000) return seen.size;
  seen.add(node);
  for (const next of graph.get(node)) visit(next, seen, depth + 1);
  return seen.size;
}
// </culprit>

const controller = new AbortController();
controller.signal.addEventListener('abort', () => {
  truth.begin();
  const until = performance.now() + 400;
  for (let node = 0; performance.now() < until; node += 1) visit(node % 2000, new Set());
  truth.end();
});

await trace.getTracer('builds').startActiveSpan('cancel-build', async (span) => {
  await sleep(300);
  controller.abort();
  span.end();
});
