/**
 * A synchronous database scans a table without an index: one native call.
 * @culprit ordersOfCity
 * @cause native
 * @parent list-orders
 * @node 22
 */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const database = new DatabaseSync(':memory:');
database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, city TEXT, note TEXT)');
database.exec(
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
   INSERT INTO orders SELECT i, 'city ' || (i % 997), 'note ' || i FROM n`,
);
const query = database.prepare(
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
   SELECT count(*) AS total FROM orders, n WHERE note LIKE '%' || ? || '%'`,
);

// <culprit>
function ordersOfCity(rounds, text) {
  return query.get(rounds, text).total;
}
// </culprit>

const started = performance.now();
ordersOfCity(20, '9');
const rounds = Math.ceil((20 * 450) / (performance.now() - started));

await trace.getTracer('orders').startActiveSpan('list-orders', async (span) => {
  await sleep(300);
  truth.begin();
  ordersOfCity(rounds, '9');
  truth.end();
  span.end();
});
