'use strict';
/**
 * A logger adds the place of its caller to every line, from a stack trace that it reads as text.
 * @culprit callerOf
 * @cause javascript native gc
 * @parent import
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const lines = [];

// <culprit>
function callerOf() {
  const stack = new Error('here').stack.split('\n');
  const [, file, line] = /\(?([^()\s]+):(\d+):\d+\)?$/.exec(stack[3]) ?? [];
  return `${file}:${line}`;
}

function log(level, message) {
  lines.push(`${new Date().toISOString()} ${level} ${callerOf()} ${message}`);
  if (lines.length > 1000) lines.length = 0;
}
// </culprit>

function importRows(until) {
  for (let row = 0; performance.now() < until; row += 1) log('debug', `row ${row} is imported`);
}

trace.getTracer('rows').startActiveSpan('import', (span) => {
  setTimeout(() => {
    truth.begin();
    importRows(performance.now() + 450);
    truth.end();
    span.end();
  }, 300);
});
