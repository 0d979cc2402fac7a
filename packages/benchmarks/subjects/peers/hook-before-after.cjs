'use strict';
// The smallest common monitor with async_hooks: it measures the time between `before` and `after` of each callback and
// reports it with the span that is active when the callback ends.
const { createHook } = require('node:async_hooks');
const { performance } = require('node:perf_hooks');
const { activeSpanId } = require('../support/active-span.cjs');

const THRESHOLD_MS = 100;

module.exports = ({ report }) => {
  const startedAt = new Map();
  createHook({
    before(asyncId) {
      startedAt.set(asyncId, performance.now());
    },
    after(asyncId) {
      const start = startedAt.get(asyncId);
      startedAt.delete(asyncId);
      if (start === undefined) return;
      const durationMs = performance.now() - start;
      if (durationMs >= THRESHOLD_MS) report({ durationMs, spanId: activeSpanId() });
    },
  }).enable();
  return {};
};
