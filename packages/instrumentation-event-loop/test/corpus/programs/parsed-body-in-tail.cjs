'use strict';
/**
 * A body parser returns what `JSON.parse` returns, and its caller reads one field of it.
 * @culprit parseBody
 * @cause native javascript gc
 * @parent create-order
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const body = JSON.stringify(Array.from({ length: 700_000 }, (_, id) => ({ id, name: `item ${id}`, tags: ['a', 'b'] })));

// <culprit>
function parseBody(text) {
  return JSON.parse(text);
}

function readOrder(text) {
  return parseBody(text).length;
}
// </culprit>

trace.getTracer('orders').startActiveSpan('create-order', (span) => {
  setTimeout(() => {
    truth.begin();
    readOrder(body);
    truth.end();
    span.end();
  }, 300);
});
