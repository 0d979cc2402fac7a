/**
 * A large catalogue is kept as a `Response` and read with `await response.json()`, which parses it in the platform's code.
 * @culprit loadCatalogue
 * @cause native javascript gc
 * @parent sync-catalogue
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const items = Array.from({ length: 500_000 }, (_, id) => ({ id, name: `item ${id}`, tags: ['a', 'b'] }));
const kept = new Response(JSON.stringify(items));

// <culprit>
async function loadCatalogue(response) {
  truth.begin();
  const catalogue = await response.json();
  truth.end();
  return catalogue.length;
}
// </culprit>

await trace.getTracer('catalogue').startActiveSpan('sync-catalogue', async (span) => {
  await sleep(300);
  span.setAttribute('items', await loadCatalogue(kept));
  span.end();
});
