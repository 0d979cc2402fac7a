'use strict';
// The larger of the two common monitors with async_hooks: it knows the type of each resource from its creation to its
// destruction.
const { createHook } = require('node:async_hooks');
const { performance } = require('node:perf_hooks');
const { activeSpanId } = require('../support/active-span.cjs');

const THRESHOLD_MS = 100;

module.exports = ({ report }) => {
  const resources = new Map();
  createHook({
    init(asyncId, type) {
      resources.set(asyncId, { type, start: undefined });
    },
    before(asyncId) {
      const resource = resources.get(asyncId);
      if (resource) resource.start = performance.now();
    },
    after(asyncId) {
      const resource = resources.get(asyncId);
      if (resource?.start === undefined) return;
      const durationMs = performance.now() - resource.start;
      resource.start = undefined;
      if (durationMs >= THRESHOLD_MS) report({ durationMs, spanId: activeSpanId(), resource: resource.type });
    },
    destroy(asyncId) {
      resources.delete(asyncId);
    },
  }).enable();
  return {};
};
