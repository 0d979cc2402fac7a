/**
 * An object-relational mapper turns each row into an entity with change tracking: the query that asked for all rows is
 * the culprit.
 * @culprit loadInvoices
 * @cause javascript gc native
 * @parent month-end
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import { Repository, column, entity } from 'tiny-orm';
import truth from '../kit/truth.cjs';

const Invoice = entity('Invoice', [
  column('id', Number),
  column('createdAt', (value) => new Date(value)),
  column('lines', JSON.parse),
  column('customer', String),
]);
const row = (id) => ({
  id: String(id),
  createdAt: 1.7e12 + id,
  lines: '[{"sku":"a","price":12.5}]',
  customer: `c${id}`,
});
const invoices = new Repository(Invoice, () => Array.from({ length: 2000 }, (_, id) => row(id)));

// <culprit>
function loadInvoices() {
  const until = performance.now() + 400;
  let count = 0;
  while (performance.now() < until) count += invoices.findAll().length;
  return count;
}
// </culprit>

await trace.getTracer('billing').startActiveSpan('month-end', async (span) => {
  await sleep(300);
  truth.begin();
  loadInvoices();
  truth.end();
  span.end();
});
