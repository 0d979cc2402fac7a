/**
 * A fuzzy search by recursion without memory, compiled from TypeScript and run with source maps.
 * @culprit editDistance
 * @cause javascript
 * @parent fuzzy-search
 * @resource Timeout
 * @flags --enable-source-maps
 */
import { trace, type Span } from '@opentelemetry/api';
import truth = require('../kit/truth.cjs');

interface Candidate {
  readonly title: string;
  readonly weight: number;
}

const candidates: Candidate[] = Array.from({ length: 50 }, (_, index) => ({
  title: `cafe${index}`,
  weight: index,
}));

// <culprit>
function editDistance(left: string, right: string): number {
  if (left === '' || right === '') return Math.max(left.length, right.length);
  if (left[0] === right[0]) return editDistance(left.slice(1), right.slice(1));
  return (
    1 +
    Math.min(
      editDistance(left.slice(1), right),
      editDistance(left, right.slice(1)),
      editDistance(left.slice(1), right.slice(1)),
    )
  );
}
// </culprit>

function search(query: string): Candidate | undefined {
  const until = performance.now() + 400;
  let best: Candidate | undefined;
  for (let index = 0; performance.now() < until; index += 1) {
    const candidate = candidates[index % candidates.length]!;
    if (editDistance(query, candidate.title) < 3) best = candidate;
  }
  return best;
}

trace.getTracer('search').startActiveSpan('fuzzy-search', (span: Span) => {
  setTimeout(() => {
    truth.begin();
    search('kaffee');
    truth.end();
    span.end();
  }, 300);
});
