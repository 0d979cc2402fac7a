'use strict';
/**
 * Timers of 80 ms from the first iteration on, while Loopwatch loads what it needs for its first suspicion.
 * @culprit *
 * @parent any
 * @silent
 */
const truth = require('../kit/truth.cjs');

let rest = 8;
setInterval(function work() {
  truth.begin(`work-${rest}`);
  const until = performance.now() + 80;
  while (performance.now() < until);
  truth.end(`work-${rest}`);
  if (--rest === 0) clearInterval(this);
}, 130);
