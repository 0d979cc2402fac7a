'use strict';
const { startSdk } = require('../support/open-telemetry.cjs');

const nodeMajor = Number(process.versions.node.split('.')[0]);

module.exports = ({ report }) => {
  const { RuntimeNodeInstrumentation } =
    nodeMajor < 22
      ? require('instrumentation-runtime-node-sdk2') // the newest version does not run on Node 20
      : require('@opentelemetry/instrumentation-runtime-node');
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
