/**
 * A small class multiplies matrices in a private method.
 * @culprit #multiply
 * @cause javascript
 * @parent forecast
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

class Forecast {
  #weights;

  constructor(size) {
    this.#weights = Array.from({ length: size }, (_, row) =>
      Array.from({ length: size }, (__, column) => Math.sin(row * size + column)),
    );
  }

  // <culprit>
  #multiply(left, right) {
    const size = left.length;
    const product = [];
    for (let row = 0; row < size; row += 1) {
      product.push([]);
      for (let column = 0; column < size; column += 1) {
        let sum = 0;
        for (let inner = 0; inner < size; inner += 1) sum += left[row][inner] * right[inner][column];
        product[row].push(sum);
      }
    }
    return product;
  }
  // </culprit>

  run(until) {
    let state = this.#weights;
    while (performance.now() < until) state = this.#multiply(state, this.#weights);
    return state[0][0];
  }
}

await trace.getTracer('analytics').startActiveSpan('forecast', async (span) => {
  await sleep(300);
  truth.begin();
  new Forecast(120).run(performance.now() + 400);
  truth.end();
  span.end();
});
