'use strict';
// The smallest monitor by async_hooks that the field uses: the time between before and after of each callback, told
// with the span that is active when the callback has ended.
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
