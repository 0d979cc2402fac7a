/**
 * The best combination of discounts is found by trying all of them.
 * @culprit bestDiscount
 * @cause javascript gc
 * @parent checkout
 * @resource Timeout
 */
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const coupons = Array.from({ length: 20 }, (_, id) => ({
  id,
  percent: 1 + (id % 7),
  minimum: 20 + id,
  excludes: (id * 5) % 20,
}));

// <culprit>
function bestDiscount(amount) {
  let best = { price: amount, used: [] };
  for (let choice = 0; choice < 2 ** coupons.length; choice += 1) {
    let price = amount;
    for (const { id, percent, minimum, excludes } of coupons) {
      if (!(choice & (1 << id)) || choice & (1 << excludes) || price < minimum) continue;
      price -= (price * percent) / 100;
    }
    if (price < best.price) best = { price, used: coupons.filter(({ id }) => choice & (1 << id)) };
  }
  return best;
}
// </culprit>

trace.getTracer('shop').startActiveSpan('checkout', (span) => {
  setTimeout(() => {
    truth.begin();
    const until = performance.now() + 300;
    while (performance.now() < until) bestDiscount(180);
    truth.end();
    span.end();
  }, 300);
});
