'use strict';
/**
 * A comparator that parses dates, in the callback of a file read.
 * @culprit byStart
 * @cause javascript native
 * @parent list-schedules
 * @resource FSREQCALLBACK ReadFileJob
 */
const fs = require('node:fs');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const schedules = Array.from({ length: 20_000 }, (_, index) => ({
  id: index,
  start: `2026-${String((index % 12) + 1).padStart(2, '0')}-${String(((index * 7) % 28) + 1).padStart(2, '0')}T08:00:00Z`,
}));

// <culprit>
function byStart(left, right) {
  return new Date(left.start).getTime() - new Date(right.start).getTime();
}

function listSchedules() {
  truth.begin();
  const until = performance.now() + 400;
  let page;
  while (performance.now() < until) page = schedules.toSorted(byStart).slice(0, 50);
  truth.end();
  return page;
}
// </culprit>

trace.getTracer('calendar').startActiveSpan('list-schedules', (span) => {
  setTimeout(() => {
    fs.readFile(__filename, 'utf8', () => {
      listSchedules();
      span.end();
    });
  }, 300);
});
