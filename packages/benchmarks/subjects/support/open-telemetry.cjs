'use strict';
// The SDK as an application has it, with exporters that drop: the control that every peer on OpenTelemetry is held
// against. Taken from a consumer that has installed the packed package, as a user does.
const { createRequire } = require('node:module');
const path = require('node:path');

const directory = process.env.BENCH_CONSUMER;
if (directory === undefined) throw new Error('Expected the folder of a consumer in BENCH_CONSUMER, got nothing.');
const requireFromConsumer = createRequire(path.join(directory, 'package.json'));

const SUCCESS = { code: 0 };
const done = () => Promise.resolve();

/** Calls back as an exporter over a network does: later. */
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
 * A metric of the application's own, as any has. Without one the SDK would export nothing at first; and before Node 24 its
 * first export switches `AsyncLocalStorage` on, with it the asynchronous hooks of the whole process.
 */
function countStart() {
  const { metrics } = requireFromConsumer('@opentelemetry/api');
  metrics.getMeter('application').createCounter('application.starts').add(1);
}

module.exports = { requireFromConsumer, startSdk };
