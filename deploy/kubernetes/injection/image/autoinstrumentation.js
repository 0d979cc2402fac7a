'use strict';
// Loaded with --require before the application, as the OpenTelemetry Operator does. It must not load the SDK: that one
// is loaded only after the application has run its entry point and started no SDK of its own.

const path = require('node:path');
const process = require('node:process');

process.env.LOOPWATCH_SDK_MODULE ??= path.join(__dirname, 'sdk.js');
process.env.OTEL_RESOURCE_ATTRIBUTES = withPodAttributes(process.env);
require('@loopwatch/instrumentation-event-loop/register');

/**
 * The application's resource attributes and those of its pod that it does not set itself. Kubernetes could not join
 * them: a variable of a pod can refer only to variables that stand before it.
 */
function withPodAttributes({ OTEL_RESOURCE_ATTRIBUTES: own = '', LOOPWATCH_RESOURCE_ATTRIBUTES: ofPod = '' }) {
  const pairs = own.split(',').filter((pair) => pair.trim() !== '');
  const known = new Set(pairs.map((pair) => keyOf(pair)));
  for (const pair of ofPod.split(',')) {
    const isKnown = known.has(keyOf(pair));
    const isEmpty = pair.endsWith('='); // of a label that the pod does not have
    if (pair !== '' && !isKnown && !isEmpty) pairs.push(pair);
  }
  return pairs.join(',');
}

function keyOf(pair) {
  return pair.split('=', 1)[0].trim();
}
