'use strict';
/**
 * The settings of all tenants are copied and frozen deeply for each read.
 * @culprit deepFreeze
 * @cause javascript
 * @parent read-settings
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const makeSettings = (id) => ({
  id,
  limits: { users: id, storage: { gb: id * 2, files: [1, 2, 3] } },
  flags: { a: true, b: false },
});

// <culprit>
function deepFreeze(value) {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const key of Reflect.ownKeys(value)) deepFreeze(value[key]);
  return value;
}
// </culprit>

const stores = Array.from({ length: 6 }, () => Array.from({ length: 40_000 }, (_, id) => makeSettings(id)));

trace.getTracer('settings').startActiveSpan('read-settings', (span) => {
  setTimeout(() => {
    truth.begin();
    stores.forEach(deepFreeze);
    truth.end();
    span.end();
  }, 300);
});
