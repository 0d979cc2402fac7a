'use strict';
// The SDK of an application, with exporters that drop everything: the control for every peer that uses OpenTelemetry.
// It is loaded from a consumer, an application that has installed the packed package.
const { createRequire } = require('node:module');
const path = require('node:path');

const directory = process.env.BENCH_CONSUMER;
if (directory === undefined) throw new Error('Expected the folder of a consumer in BENCH_CONSUMER, but it is not set.');
const requireFromConsumer = createRequire(path.join(directory, 'package.json'));

const SUCCESS = { code: 0 };
const done = () => Promise.resolve();

/** Calls back asynchronously, as an exporter over a network does. */
function droppingExporter(onItems = () => undefined) {
  return {
    export(items, callback) {
      onItems(items);
      setImmediate(callback, SUCCESS);
    },
    forceFlush: done,
    shutdown: done,
  };
}

function startSdk({ instrumentations = [], onSpan, onMetrics } = {}) {
  const { NodeSDK } = requireFromConsumer('@opentelemetry/sdk-node');
  const { PeriodicExportingMetricReader } = requireFromConsumer('@opentelemetry/sdk-metrics');
  const { BatchSpanProcessor } = requireFromConsumer('@opentelemetry/sdk-trace');
  const reader = new PeriodicExportingMetricReader({
    exporter: droppingExporter(onMetrics),
    exportIntervalMillis: 60_000,
  });
  const listener = { onStart: () => undefined, onEnd: onSpan, forceFlush: done, shutdown: done };
  const sdk = new NodeSDK({
    autoDetectResources: false,
    spanProcessors: [new BatchSpanProcessor({ exporter: droppingExporter() }), ...(onSpan ? [listener] : [])],
    metricReaders: [reader],
    logRecordProcessors: [],
    instrumentations,
  });
  sdk.start();
  countStart();
  return { collect: () => reader.forceFlush() };
}

/**
 * A metric of the application itself. Without one, the SDK would have nothing to export at first; and before Node 24,
 * its first export enables `AsyncLocalStorage`, and with it the async hooks of the whole process.
 */
function countStart() {
  const { metrics } = requireFromConsumer('@opentelemetry/api');
  metrics.getMeter('application').createCounter('application.starts').add(1);
}

module.exports = { requireFromConsumer, startSdk };
