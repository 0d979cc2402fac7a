/**
 * `for await` over batches that are already there: it awaits, and never lets the loop iterate.
 * @culprit importBatch
 * @cause javascript
 * @parent import-customers
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const customers = Array.from({ length: 4000 }, (_, id) => ({ id, mail: `Customer.${id}@Example.ORG ` }));

async function* batches(until) {
  while (performance.now() < until) yield customers;
}

// <culprit>
function importBatch(batch) {
  const known = new Map();
  for (const { id, mail } of batch) known.set(mail.trim().toLowerCase().normalize('NFC'), id);
  return known.size;
}
// </culprit>

await trace.getTracer('crm').startActiveSpan('import-customers', async (span) => {
  await sleep(300);
  truth.begin();
  let imported = 0;
  for await (const batch of batches(performance.now() + 400)) imported += importBatch(batch);
  truth.end();
  span.end();
});
