/**
 * Duplicates are found by serialising every object into a Set.
 * @culprit withoutDuplicates
 * @cause javascript native gc
 * @parent merge-contacts
 */
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const contacts = Array.from({ length: 10_000 }, (_, index) => ({
  name: `Person ${index % 4000}`,
  phones: [`+49 ${index % 4000}`, `+1 ${index % 4000}`],
}));

// <culprit>
function withoutDuplicates(list) {
  const seen = new Set();
  return list.filter((contact) => {
    const key = JSON.stringify(contact);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
// </culprit>

trace.getTracer('contacts').startActiveSpan('merge-contacts', (span) => {
  setTimeout(() => {
    Promise.resolve(contacts)
      .then((list) => {
        truth.begin();
        const until = performance.now() + 400;
        let merged = list;
        while (performance.now() < until) merged = withoutDuplicates(list);
        truth.end();
        return merged;
      })
      .finally(() => span.end());
  }, 300);
});
