/**
 * A reducer that spreads its accumulator: quadratic copies, and garbage to match.
 * @culprit indexById
 * @cause javascript
 * @parent load-catalogue
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const products = Array.from({ length: 1500 }, (_, id) => ({ id: `product-${id}`, name: `Product ${id}` }));

// <culprit>
function indexById(list) {
  return list.reduce((index, product) => ({ ...index, [product.id]: product }), {});
}
// </culprit>

await trace.getTracer('catalogue').startActiveSpan('load-catalogue', async (span) => {
  await sleep(300);
  truth.begin();
  const until = performance.now() + 400;
  do {
    indexById(products);
  } while (performance.now() < until);
  truth.end();
  span.end();
});
