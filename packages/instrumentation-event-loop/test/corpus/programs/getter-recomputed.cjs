'use strict';
/**
 * A getter that looks like a field sums the whole basket each time it is read.
 * @culprit total
 * @cause javascript
 * @parent none
 * @resource Immediate
 */
const truth = require('../kit/truth.cjs');

class Basket {
  constructor(items) {
    this.items = items;
  }

  // <culprit>
  get total() {
    let sum = 0;
    for (const { price, quantity } of this.items) sum += Math.round(price * quantity * 100) / 100;
    return sum;
  }
  // </culprit>

  shareOf(item) {
    return item.price / this.total;
  }
}

const items = Array.from({ length: 50_000 }, (_, index) => ({ price: (index % 97) + 0.99, quantity: index % 5 }));

setTimeout(() => {
  setImmediate(() => {
    truth.begin();
    const basket = new Basket(items);
    const until = performance.now() + 400;
    let shares = 0;
    for (let index = 0; performance.now() < until; index += 1) shares += basket.shareOf(items[index]);
    truth.end();
    return shares;
  });
}, 300);
