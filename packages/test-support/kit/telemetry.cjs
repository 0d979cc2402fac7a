'use strict';
const core = require('./start-telemetry.cjs');

const modules = {
  api: require('@opentelemetry/api'),
  sdkNode: require('@opentelemetry/sdk-node'),
  sdkTrace: require('@opentelemetry/sdk-trace'),
  sdkMetrics: require('@opentelemetry/sdk-metrics'),
  http: require('@opentelemetry/instrumentation-http'),
  loopwatch: require('@loopwatch/instrumentation-event-loop'),
};

module.exports = {
  ...modules,
  startTelemetry: (options) => core.startTelemetry(modules, options),
  optionsOfRun: core.optionsOfRun,
};
