/**
 * A minified bundle with its source map and --enable-source-maps.
 * @run bundle-mapped.min.cjs
 * @culprit *
 * @cause javascript
 * @parent rank-results
 * @resource Timeout
 * @flags --enable-source-maps
 */
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const results = Array.from({ length: 4000 }, (_, id) => ({ id, terms: [`t${id % 50}`, `t${id % 31}`] }));

// <culprit>
function rankResults(list, terms) {
  const scores = new Map();
  for (const { id, terms: own } of list) {
    let points = 0;
    for (const term of terms) {
      for (const candidate of own) {
        if (candidate === term) points += 10;
        else if (candidate.endsWith(term.slice(1))) points += 1;
      }
    }
    scores.set(id, points);
  }
  return scores;
}
// </culprit>

trace.getTracer('search').startActiveSpan('rank-results', (span) => {
  setTimeout(() => {
    truth.begin();
    const until = performance.now() + 400;
    while (performance.now() < until) rankResults(results, ['t1', 't7', 't30', 't49']);
    truth.end();
    span.end();
  }, 300);
});
