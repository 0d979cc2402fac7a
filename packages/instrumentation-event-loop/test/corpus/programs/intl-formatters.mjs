/**
 * A price list makes a new number formatter for each of its cells.
 * @culprit formatPrice
 * @cause javascript native gc
 * @parent render-prices
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const locales = ['de-DE', 'en-GB', 'fr-FR', 'ja-JP'];

// <culprit>
const formatPrice = (amount, locale) =>
  new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' }).format(amount);

function renderPrices(until) {
  const cells = [];
  for (let amount = 0; performance.now() < until; amount += 1) {
    cells.push(formatPrice(amount, locales[amount % locales.length]));
  }
  return cells;
}
// </culprit>

await trace.getTracer('shop').startActiveSpan('render-prices', async (span) => {
  await sleep(300);
  truth.begin();
  renderPrices(performance.now() + 400);
  truth.end();
  span.end();
});
