/**
 * A report asks a synchronous database once for each customer; the functions return what the query returns.
 * @culprit total
 * @cause native
 * @parent report
 * @node 22
 */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const database = new DatabaseSync(':memory:');
database.exec('CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer INTEGER, amount REAL)');
database.exec(
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
   INSERT INTO invoices SELECT i, i % 400, i * 1.5 FROM n`,
);
const query = database.prepare('SELECT sum(amount) AS total FROM invoices WHERE customer = ?');

// <culprit>
function total(customer) {
  return query.get(customer).total;
}

function report(until) {
  const totals = [];
  for (let customer = 0; performance.now() < until; customer = (customer + 1) % 400) totals.push(total(customer));
  return totals;
}
// </culprit>

await trace.getTracer('invoices').startActiveSpan('report', async (span) => {
  await sleep(300);
  truth.begin();
  report(performance.now() + 450);
  truth.end();
  span.end();
});
