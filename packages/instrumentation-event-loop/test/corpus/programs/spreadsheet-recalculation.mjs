/**
 * A spreadsheet evaluates the formulas of its cells from one another, again for every cell that asks.
 * @culprit valueOf
 * @cause javascript gc
 * @parent recalculate
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

// <culprit>
class Sheet {
  cells = new Map();

  set(name, formula) {
    this.cells.set(name, formula);
  }

  valueOf(name) {
    const formula = this.cells.get(name);
    return typeof formula === 'function' ? formula((other) => this.valueOf(other)) : formula;
  }

  recalculate() {
    return [...this.cells.keys()].map((name) => [name, this.valueOf(name)]);
  }
}

const sheet = new Sheet();
sheet.set('A1', 1);
sheet.set('A2', 2);
for (let row = 3; row <= 27; row += 1) {
  sheet.set(`A${row}`, (get) => (get(`A${row - 1}`) + get(`A${row - 2}`)) % 1_000_003);
}
// </culprit>

await trace.getTracer('sheets').startActiveSpan('recalculate', async (span) => {
  await sleep(300);
  truth.begin();
  const until = performance.now() + 300;
  while (performance.now() < until) sheet.recalculate();
  truth.end();
  span.end();
});
