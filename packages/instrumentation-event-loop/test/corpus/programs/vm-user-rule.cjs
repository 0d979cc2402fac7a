'use strict';
/**
 * A rule of a user runs in a `vm` context under a file name of its own.
 * @culprit evaluateRule
 * @file rules/discount.js
 * @cause javascript
 * @parent apply-rules
 * @resource Timeout
 */
const path = require('node:path');
const vm = require('node:vm');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const rule = new vm.Script(
  `function evaluateRule(orders, now, until) {
     let discount = 0;
     while (now() < until) {
       for (const order of orders) {
         for (const other of orders) if (other.customer === order.customer) discount += other.amount * 0.01;
       }
     }
     return discount;
   }
   evaluateRule(orders, now, until);`,
  { filename: path.join(__dirname, 'rules/discount.js') },
);
const orders = Array.from({ length: 300 }, (_, id) => ({ customer: id % 50, amount: id }));

trace.getTracer('rules').startActiveSpan('apply-rules', (span) => {
  setTimeout(() => {
    truth.begin();
    const now = () => performance.now();
    rule.runInNewContext({ orders, now, until: performance.now() + 400 });
    truth.end();
    span.end();
  }, 300);
});
