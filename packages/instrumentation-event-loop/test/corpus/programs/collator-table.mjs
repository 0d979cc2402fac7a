/**
 * A table component sorts by the reader's language, with a comparator that asks for the language in every comparison.
 * @culprit sortRows
 * @cause javascript native gc
 * @parent sort-table
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const rows = Array.from({ length: 800 }, (_, id) => ({ name: `Änne ${(id * 7919) % 800}`, city: `Łódź ${id % 13}` }));

// <culprit>
function sortRows(table, language) {
  return table.toSorted((a, b) => a.city.localeCompare(b.city, language) || a.name.localeCompare(b.name, language));
}
// </culprit>

await trace.getTracer('table').startActiveSpan('sort-table', async (span) => {
  await sleep(300);
  truth.begin();
  const until = performance.now() + 400;
  while (performance.now() < until) sortRows(rows, 'sv');
  truth.end();
  span.end();
});
