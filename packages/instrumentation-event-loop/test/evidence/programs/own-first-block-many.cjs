'use strict';
/**
 * Blocks one after the other, each of another length and function: the first ones meet a cold Loopwatch.
 * @culprit *
 * @parent any
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const work = {
  sortRows: () => Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 10_007).sort((a, b) => a - b),
  parseRows: () => JSON.parse(JSON.stringify(Array.from({ length: 8000 }, (_, id) => ({ id, name: `row ${id}` })))),
  joinRows: () => Array.from({ length: 20_000 }, (_, i) => `${i};`).join(''),
  countRows: () => {
    let sum = 0;
    for (let i = 0; i < 2_000_000; i++) sum += i % 7;
    return sum;
  },
};
const todo = [130, 200, 400, 800].flatMap((ms) => Object.entries(work).map(([name, once]) => ({ ms, name, once })));

setTimeout(function next() {
  const { ms, name, once } = todo.shift();
  trace.getTracer('rows').startActiveSpan(name, (span) => {
    truth.begin(`${name}-${ms}`);
    const until = performance.now() + ms;
    while (performance.now() < until) once();
    truth.end(`${name}-${ms}`);
    span.end();
  });
  if (todo.length > 0) setTimeout(next, 150);
}, 400);
