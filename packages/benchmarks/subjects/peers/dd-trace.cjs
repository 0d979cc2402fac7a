'use strict';
// Runtime metrics and the profiler, without the tracing of libraries. There is no agent that receives its data.
process.env.DD_INSTRUMENTATION_TELEMETRY_ENABLED = 'false';
process.env.DD_REMOTE_CONFIGURATION_ENABLED = 'false';

module.exports = () => {
  require('dd-trace').init({ runtimeMetrics: true, profiling: true, plugins: false, startupLogs: false });
  return {};
};
