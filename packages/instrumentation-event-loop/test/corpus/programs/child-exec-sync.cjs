'use strict';
/**
 * A health check asks a command for its answer and sleeps until it has it.
 * @culprit diskIsHealthy
 * @cause waiting
 * @parent health-check
 * @resource Timeout
 */
const { execSync } = require('node:child_process');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

// <culprit>
function diskIsHealthy() {
  truth.begin();
  const answer = execSync('sleep 0.5; echo healthy').toString().trim();
  truth.end();
  return answer === 'healthy';
}
// </culprit>

trace.getTracer('health').startActiveSpan('health-check', (span) => {
  setTimeout(() => {
    diskIsHealthy();
    span.end();
  }, 300);
});
