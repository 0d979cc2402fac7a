/**
 * Recommendations are ranked by iterations over a graph that is a Map of Maps.
 * @culprit rank
 * @cause javascript gc
 * @parent recommend
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const graph = new Map();
for (let id = 0; id < 3000; id += 1) {
  graph.set(id, new Map(Array.from({ length: 12 }, (_, edge) => [(id * 13 + edge * 97) % 3000, 1 + (edge % 3)])));
}

// <culprit>
function rank(edges, rounds) {
  let scores = new Map([...edges.keys()].map((id) => [id, 1]));
  for (let round = 0; round < rounds; round += 1) {
    const next = new Map([...edges.keys()].map((id) => [id, 0.15]));
    for (const [id, targets] of edges) {
      const total = [...targets.values()].reduce((sum, weight) => sum + weight, 0);
      for (const [target, weight] of targets) {
        next.set(target, next.get(target) + (0.85 * scores.get(id) * weight) / total);
      }
    }
    scores = next;
  }
  return scores;
}
// </culprit>

await trace.getTracer('shop').startActiveSpan('recommend', async (span) => {
  await sleep(300);
  truth.begin();
  rank(graph, 150);
  truth.end();
  span.end();
});
