'use strict';
/**
 * A router parses the URL again and tries every pattern for each of a batch of paths.
 * @culprit match
 * @cause javascript native gc
 * @parent none
 * @resource Immediate
 */
const truth = require('../kit/truth.cjs');

const routes = Array.from({ length: 300 }, (_, index) => new RegExp(`^/api/v1/resource${index}/(\\d+)/items/(\\w+)$`));

// <culprit>
function match(path) {
  for (const [index, pattern] of routes.entries()) {
    const found = pattern.exec(path);
    if (found) return { index, params: found.slice(1) };
  }
  return undefined;
}

function route(url) {
  return match(new URL(url, 'http://localhost').pathname);
}
// </culprit>

setTimeout(() => {
  setImmediate(() => {
    truth.begin();
    const until = performance.now() + 400;
    for (let id = 0; performance.now() < until; id += 1) route(`/api/v1/resource${id % 400}/${id}/items/abc?x=${id}`);
    truth.end();
  });
}, 300);
