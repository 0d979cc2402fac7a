/**
 * A package evaluates a formula by recursion that is deeper than a captured stack; the function that calls it is the culprit.
 * @culprit totalOf
 * @cause javascript gc native
 * @parent total
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import { evaluate } from 'deep-formula';
import truth from '../kit/truth.cjs';

let formula = 1;
for (let row = 0; row < 250; row++) {
  formula = { operator: row % 2 === 0 ? 'sum' : 'product', operands: [formula, `price${row % 9}`, row] };
}

// <culprit>
function totalOf(prices) {
  const until = performance.now() + 600;
  let total = 0;
  while (performance.now() < until) total = (total + evaluate(formula, prices)) % 9973;
  return total;
}
// </culprit>

const prices = new Map(Array.from({ length: 9 }, (_, product) => [`price${product}`, product * 7]));

await trace.getTracer('invoices').startActiveSpan('total', async (span) => {
  await sleep(300);
  truth.begin();
  totalOf(prices);
  truth.end();
  span.end();
});
