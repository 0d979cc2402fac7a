'use strict';
/**
 * One event and thousands of listeners, each quick and all together not.
 * @culprit onPriceChanged
 * @cause javascript
 * @parent price-changed
 * @resource Timeout
 */
const { EventEmitter } = require('node:events');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const bus = new EventEmitter().setMaxListeners(0);

class Widget {
  constructor(id) {
    this.id = id;
    this.history = [];
    bus.on('price', (price) => this.onPriceChanged(price));
  }

  // <culprit>
  onPriceChanged(price) {
    this.history.push(price);
    if (this.history.length > 60) this.history.shift();
    let mean = 0;
    for (const value of this.history) mean += value / this.history.length;
    this.mean = mean;
  }
  // </culprit>
}

const widgets = Array.from({ length: 3000 }, (_, id) => new Widget(id));

trace.getTracer('dashboard').startActiveSpan('price-changed', (span) => {
  setTimeout(() => {
    truth.begin();
    const until = performance.now() + 400;
    for (let price = 0; performance.now() < until; price += 1) bus.emit('price', price);
    truth.end();
    span.end();
    return widgets.length;
  }, 300);
});
