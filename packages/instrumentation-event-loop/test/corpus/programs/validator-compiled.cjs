'use strict';
/**
 * A schema is compiled to a named function, as text, and checks a large import in the application's handler.
 * @culprit importRows
 * @cause javascript gc native
 * @parent import
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');
const { compileSchema } = require('compiled-schema');

const validate = compileSchema({ id: 'number', name: 'string', mail: 'string', age: 'number' });
const rows = Array.from({ length: 3000 }, (_, id) => ({
  id,
  name: `n${id}`,
  mail: `m${id}@example.org`,
  age: id % 90,
}));

// <culprit>
function importRows() {
  const until = performance.now() + 400;
  let valid = 0;
  while (performance.now() < until) valid += rows.filter((row) => validate(row).length === 0).length;
  return valid;
}
// </culprit>

trace.getTracer('import').startActiveSpan('import', (span) => {
  setTimeout(() => {
    truth.begin();
    importRows();
    truth.end();
    span.end();
  }, 300);
});
