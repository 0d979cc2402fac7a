/**
 * `toJSON` of a money type formats each amount: V8's serialiser calls back into the application.
 * @culprit toJSON exportLedger
 * @cause javascript native gc
 * @parent export-ledger
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

// <culprit>
class Money {
  constructor(cents) {
    this.cents = cents;
  }

  toJSON() {
    let digits = String(this.cents).padStart(3, '0');
    const cents = digits.slice(-2);
    digits = digits.slice(0, -2).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
    return `${digits}.${cents} EUR`;
  }
}

function exportLedger(entries, until) {
  let length = 0;
  while (performance.now() < until) length += JSON.stringify(entries).length;
  return length;
}
// </culprit>

const entries = Array.from({ length: 1000 }, (_, id) => ({ id, amount: new Money(id * 123_457) }));

await trace.getTracer('ledger').startActiveSpan('export-ledger', async (span) => {
  await sleep(300);
  truth.begin();
  exportLedger(entries, performance.now() + 400);
  truth.end();
  span.end();
});
