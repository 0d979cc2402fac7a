/**
 * An event bus of the application calls its listeners, which have no name, in a loop. One of them is slow.
 * @culprit *
 * @cause javascript
 * @parent sale
 * @resource Timeout
 */
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

class Bus {
  #listeners = [];

  on(listener) {
    this.#listeners.push(listener);
  }

  emit(event) {
    this.#listeners.forEach((listener) => listener(event));
  }
}

const bus = new Bus();
const sales = Array.from({ length: 30_000 }, (_, id) => ({ id, amount: id % 97 }));

bus.on((event) => sales.push(event));

// <culprit>
bus.on((event) => {
  const totals = [];
  while (performance.now() < event.until) {
    let total = event.amount;
    for (const sale of sales) total = (total * 7 + sale.amount) % 9973;
    totals.push(total);
  }
  return totals;
});
// </culprit>

trace.getTracer('shop').startActiveSpan('sale', (span) => {
  setTimeout(() => {
    truth.begin();
    bus.emit({ id: -1, amount: 12, until: performance.now() + 400 });
    truth.end();
    span.end();
  }, 300);
});
