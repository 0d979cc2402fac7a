'use strict';
/**
 * Spans within spans, each over a few immediates and promises, as in the code hot spots of a profiler: one of the inner
 * ones computes, its parent and its quick siblings are open meanwhile.
 * @culprit rank
 * @cause javascript native gc
 * @parent inner-2
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const tracer = trace.getTracer('hot-spots');
const words = Array.from({ length: 3000 }, (_, index) => `${(index * 7919) % 3000}-word`);

// <culprit>
function rank(list) {
  truth.begin();
  const until = performance.now() + 400;
  let first = '';
  while (performance.now() < until) [first] = [...list].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  truth.end();
  return first;
}
// </culprit>

const turn = () => new Promise((resolve) => setImmediate(resolve));

function inSpan(name, work) {
  return tracer.startActiveSpan(name, async (span) => {
    await turn();
    const result = await work();
    await turn();
    span.end();
    return result;
  });
}

setTimeout(() => {
  void inSpan('outer', () =>
    Promise.all(
      [0, 1, 2, 3].map((index) =>
        inSpan(`inner-${index}`, () => (index === 2 ? rank(words) : words.indexOf('1-word'))),
      ),
    ),
  );
}, 300);
