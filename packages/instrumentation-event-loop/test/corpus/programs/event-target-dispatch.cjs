'use strict';
/**
 * A layout is computed by mutual recursion, deep and wide, inside an event's listener.
 * @culprit measure
 * @cause javascript gc
 * @parent layout
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

function tree(depth) {
  return { grow: depth, children: depth === 0 ? [] : [tree(depth - 1), tree(depth - 1), tree(depth - 1)] };
}

// <culprit>
function measure(node) {
  return node.children.reduce((width, child) => width + place(child).width, node.grow + 1);
}

function place(node) {
  return { width: measure(node), left: node.grow };
}
// </culprit>

const page = new EventTarget();
const root = tree(7);
page.addEventListener('resize', () => {
  truth.begin();
  const until = performance.now() + 400;
  while (performance.now() < until) place(root);
  truth.end();
});

trace.getTracer('ui').startActiveSpan('layout', (span) => {
  setTimeout(() => {
    page.dispatchEvent(new Event('resize'));
    span.end();
  }, 300);
});
