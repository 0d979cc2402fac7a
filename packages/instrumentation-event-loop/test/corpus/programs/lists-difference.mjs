/**
 * Two lists of subscribers are compared by asking for each address whether the other list includes it.
 * @culprit difference
 * @cause javascript
 * @parent compare-lists
 * @resource Timeout
 */
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const ours = Array.from({ length: 14_000 }, (_, id) => ({ address: `reader-${id}@example.org` }));
const theirs = Array.from({ length: 14_000 }, (_, id) => ({ address: `reader-${id * 3}@example.org` }));

// <culprit>
const difference = (left, right) => left.filter(({ address }) => !right.some((other) => other.address === address));
// </culprit>

trace.getTracer('lists').startActiveSpan('compare-lists', (span) => {
  setTimeout(() => {
    truth.begin();
    difference(ours, theirs);
    truth.end();
    span.end();
  }, 300);
});
