'use strict';
const { startSdk } = require('../open-telemetry.cjs');

// The newest version needs what Node 20 has not.
const name =
  Number(process.versions.node.split('.')[0]) < 22
    ? 'instrumentation-runtime-node-sdk2'
    : '@opentelemetry/instrumentation-runtime-node';

module.exports = ({ report }) => {
  const { RuntimeNodeInstrumentation } = require(name);
  return startSdk({
    instrumentations: [new RuntimeNodeInstrumentation()],
    onMetrics({ scopeMetrics }) {
      const maximum = scopeMetrics
        .flatMap(({ metrics }) => metrics)
        .find(({ descriptor }) => descriptor.name === 'nodejs.eventloop.delay.max');
      const seconds = maximum?.dataPoints[0]?.value;
      if (seconds !== undefined) report({ durationMs: seconds * 1e3, isGauge: true });
    },
  });
};
