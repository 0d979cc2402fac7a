'use strict';
/**
 * The pages of a listing are flattened by a reducer that concatenates arrays.
 * @culprit flatten
 * @cause javascript
 * @parent list-all
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const pages = Array.from({ length: 4000 }, (_, page) =>
  Array.from({ length: 20 }, (_, row) => ({ id: page * 20 + row })),
);

// <culprit>
const flatten = (lists) => lists.reduce((all, list) => all.concat(list), []);
// </culprit>

trace.getTracer('listing').startActiveSpan('list-all', (span) => {
  setTimeout(() => {
    truth.begin();
    flatten(pages);
    truth.end();
    span.end();
  }, 300);
});
