'use strict';
// node --require kit/preload.cjs program
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  const { startTelemetry, optionsOfRun } = require('./telemetry.cjs');
  startTelemetry(optionsOfRun());
}
