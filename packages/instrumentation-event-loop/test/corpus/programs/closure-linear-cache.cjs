'use strict';
/**
 * A memoizer keeps its entries in an array and searches it for every call.
 * @culprit lookUp
 * @cause javascript
 * @parent price-refresh
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

function memoize(compute) {
  const entries = [];
  // <culprit>
  return function lookUp(key) {
    for (let index = entries.length - 1; index >= 0; index -= 1) {
      if (entries[index].key === key) return entries[index].value;
    }
    const value = compute(key);
    entries.push({ key, value });
    return value;
  };
  // </culprit>
}

const priceOf = memoize((sku) => sku.length * 1.19);
const span = trace.getTracer('shop').startSpan('price-refresh');
const { context } = require('@opentelemetry/api');

context.with(trace.setSpan(context.active(), span), () => {
  const timer = setInterval(() => {
    clearInterval(timer);
    truth.begin();
    const until = performance.now() + 400;
    for (let number = 0; performance.now() < until; number += 1) priceOf(`sku-${number % 20_000}`);
    truth.end();
    span.end();
  }, 300);
});
