/**
 * A route planner walks the permutations of its stops with a generator.
 * @culprit permutations planRoute
 * @cause javascript
 * @parent plan-route
 * @resource Timeout
 */
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const stops = Array.from({ length: 11 }, (_, index) => ({ x: Math.sin(index) * 100, y: Math.cos(index * 2) * 100 }));

// <culprit>
function* permutations(list, from = 0) {
  if (from === list.length - 1) {
    yield list;
    return;
  }
  for (let index = from; index < list.length; index += 1) {
    [list[from], list[index]] = [list[index], list[from]];
    yield* permutations(list, from + 1);
    [list[from], list[index]] = [list[index], list[from]];
  }
}

function lengthOf(route) {
  let length = 0;
  for (let index = 1; index < route.length; index += 1) {
    length += Math.hypot(route[index].x - route[index - 1].x, route[index].y - route[index - 1].y);
  }
  return length;
}

function planRoute(list) {
  const until = performance.now() + 400;
  let best = Infinity;
  for (const route of permutations(list)) {
    best = Math.min(best, lengthOf(route));
    if (performance.now() > until) break;
  }
  return best;
}
// </culprit>

trace.getTracer('logistics').startActiveSpan('plan-route', (span) => {
  setTimeout(() => {
    truth.begin();
    planRoute([...stops]);
    truth.end();
    span.end();
  }, 300);
});
