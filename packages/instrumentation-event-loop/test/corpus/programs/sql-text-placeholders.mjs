/**
 * A query builder writes the values of a very long `IN` list into the text, one placeholder after the other.
 * @culprit format
 * @cause javascript native gc
 * @parent load-products
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const ids = Array.from({ length: 2500 }, (_, id) => `product-${id}`);

// <culprit>
function format(sql, values) {
  let text = sql;
  for (const value of values) text = text.replace('?', () => `'${String(value).replaceAll("'", "''")}'`);
  return text;
}
// </culprit>

await trace.getTracer('catalogue').startActiveSpan('load-products', async (span) => {
  await sleep(300);
  truth.begin();
  const until = performance.now() + 400;
  const sql = `SELECT * FROM products WHERE id IN (${ids.map(() => '?').join(', ')})`;
  while (performance.now() < until) format(sql, ids);
  truth.end();
  span.end();
});
