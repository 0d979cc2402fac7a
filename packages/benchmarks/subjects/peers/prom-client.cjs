'use strict';
module.exports = ({ report }) => {
  const { collectDefaultMetrics, register } = require('prom-client');
  collectDefaultMetrics();
  return {
    async collect() {
      const text = await register.metrics();
      const seconds = Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]);
      report({ durationMs: seconds * 1e3, isGauge: true });
    },
  };
};
