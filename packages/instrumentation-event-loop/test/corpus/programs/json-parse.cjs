'use strict';
/**
 * A parse of a large body: one native call that nothing interrupts.
 * @culprit readBody
 * @cause native
 * @parent create-task
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const item = { title: 'a task', tags: ['x', 'y', 'z'], nested: { deep: { deeper: [1, 2, 3, 4.5] } } };

function bodyThatTakes(minimumMs) {
  for (let items = 50_000; ; items *= 2) {
    const body = JSON.stringify(Array.from({ length: items }, (_, id) => ({ id, ...item })));
    const started = performance.now();
    JSON.parse(body);
    if (performance.now() - started > minimumMs) return body;
  }
}

// <culprit>
function readBody(body) {
  truth.begin();
  const tasks = JSON.parse(body);
  truth.end();
  return tasks.length;
}
// </culprit>

function countOf(length) {
  return `${length} tasks`;
}

const body = bodyThatTakes(300);
trace.getTracer('tasks').startActiveSpan('create-task', (span) => {
  setTimeout(() => {
    countOf(readBody(body));
    span.end();
  }, 300);
});
