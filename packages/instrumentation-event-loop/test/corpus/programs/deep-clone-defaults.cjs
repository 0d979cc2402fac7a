'use strict';
/**
 * Settings are cloned deeply for every tenant, in a tick after the timer.
 * @culprit cloneDeep
 * @cause javascript gc
 * @parent apply-settings
 * @resource TickObject
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const defaults = { limits: {}, flags: [] };
for (let index = 0; index < 2000; index += 1) {
  defaults.limits[`limit-${index}`] = { soft: index, hard: index * 2, units: ['ms', 's'] };
  defaults.flags.push({ name: `flag-${index}`, on: index % 3 === 0 });
}

// <culprit>
function cloneDeep(value) {
  if (Array.isArray(value)) return value.map(cloneDeep);
  if (value === null || typeof value !== 'object') return value;
  const copy = {};
  for (const key of Object.keys(value)) copy[key] = cloneDeep(value[key]);
  return copy;
}
// </culprit>

trace.getTracer('tenants').startActiveSpan('apply-settings', (span) => {
  setTimeout(() => {
    process.nextTick(() => {
      truth.begin();
      const until = performance.now() + 400;
      while (performance.now() < until) cloneDeep(defaults);
      truth.end();
      span.end();
    });
  }, 300);
});
