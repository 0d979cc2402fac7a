'use strict';
// The OpenTelemetry side of a program: a NodeSDK that writes every span, metric and diag message as one JSON line. Its
// modules come from ./telemetry.mjs or ./telemetry.cjs, so that a process never loads the SDK in two formats.
const { appendFileSync } = require('node:fs');
const { threadRunQueueMs } = require('./thread-times.cjs');

const output = process.env.TEST_KIT_OUTPUT;

function write(record) {
  if (output) appendFileSync(output, `${JSON.stringify(record)}\n`);
}

/** Reads the clock when a span starts and when it ends. The SDK's own times are off by what its thread waits between its reads. */
class SpanWatch {
  #times = new WeakMap();
  onStart(span) {
    this.#times.set(span, { startEpochMs: Date.now(), endEpochMs: undefined });
  }
  onEnd(span) {
    this.#times.get(span).endEpochMs = Date.now();
  }
  timesOf(span) {
    return this.#times.get(span);
  }
  forceFlush() {
    return Promise.resolve();
  }
  shutdown() {
    return Promise.resolve();
  }
}

function spanRecord(span, watch) {
  const { traceId, spanId } = span.spanContext();
  return {
    type: 'span',
    name: span.name,
    kind: span.kind,
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId ?? span.parentSpanId,
    startTime: span.startTime,
    endTime: span.endTime,
    open: watch.timesOf(span),
    attributes: span.attributes,
    links: span.links.map(({ context, attributes }) => ({
      traceId: context.traceId,
      spanId: context.spanId,
      attributes: attributes ?? {},
    })),
    statusCode: span.status.code,
    scope: (span.instrumentationScope ?? span.instrumentationLibrary).name,
    resource: span.resource.attributes,
  };
}

class LineSpanExporter {
  constructor(watch) {
    this.watch = watch;
  }
  export(spans, done) {
    for (const span of spans) write(spanRecord(span, this.watch));
    done({ code: 0 });
  }
  forceFlush() {
    return Promise.resolve();
  }
  shutdown() {
    return Promise.resolve();
  }
}

class LineMetricExporter {
  export({ scopeMetrics }, done) {
    for (const { scope, metrics } of scopeMetrics) {
      for (const { descriptor, dataPoints } of metrics) {
        const { name, unit } = descriptor;
        write({
          type: 'metric',
          scope: scope.name,
          name,
          unit,
          dataPoints: dataPoints.map(({ attributes, value }) => ({ attributes, value })),
        });
      }
    }
    done({ code: 0 });
  }
  forceFlush() {
    return Promise.resolve();
  }
  shutdown() {
    return Promise.resolve();
  }
}

function lineDiagLogger() {
  const log =
    (level) =>
    (message, ...details) =>
      write({ type: 'diag', level, message: [message, ...details].map(String).join(' ') });
  return { error: log('error'), warn: log('warn'), info: log('info'), debug: () => {}, verbose: () => {} };
}

function makeSampler(modules, name) {
  const { AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler } = modules.sdkTrace;
  const { EventLoopSampler } = modules.loopwatch;
  switch (name) {
    case undefined:
    case 'on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'off':
      return new AlwaysOffSampler();
    case 'off-but-blocks':
      return new EventLoopSampler(new AlwaysOffSampler());
    default:
      throw new Error(`Expected the sampler on, off or off-but-blocks, got ${name}.`);
  }
}

/**
 * Delays the exit: a block is reported some time after it ended, and a program should not need to know this time. Both
 * steps use `beforeExit`, so they do not affect a program that ends in another way.
 */
function flushBeforeExit(sdk, lingerMs) {
  process.once('beforeExit', () => {
    setTimeout(() => {
      process.once('beforeExit', () => {
        sdk.shutdown().catch((error) => write({ type: 'diag', level: 'error', message: String(error) }));
      });
    }, lingerMs);
  });
}

/**
 * `options.instrumentation` is the configuration of EventLoopInstrumentation, or false for none; `http` adds the HTTP
 * instrumentation, `victims` the span processor, `batch` exports spans in batches; `sampler` see above; with `lingerMs` 0 the exit is not delayed.
 */
function startTelemetry(modules, options = {}) {
  const { api, sdkNode, sdkTrace, sdkMetrics, loopwatch } = modules;
  api.diag.setLogger(lineDiagLogger(), { logLevel: api.DiagLogLevel.INFO, suppressOverrideMessage: true });

  const instrumentation =
    options.instrumentation === false ? undefined : new loopwatch.EventLoopInstrumentation(options.instrumentation);
  const watch = new SpanWatch();
  const sdk = new sdkNode.NodeSDK({
    autoDetectResources: false,
    sampler: options.customSampler ?? makeSampler(modules, options.sampler),
    spanProcessors: [
      watch,
      ...(options.victims ? [new loopwatch.EventLoopSpanProcessor()] : []),
      new sdkTrace[options.batch ? 'BatchSpanProcessor' : 'SimpleSpanProcessor']({
        exporter: new LineSpanExporter(watch),
      }),
    ],
    metricReaders: [
      new sdkMetrics.PeriodicExportingMetricReader({
        exporter: new LineMetricExporter(),
        exportIntervalMillis: 3_600_000,
      }),
    ],
    logRecordProcessors: [],
    instrumentations: [
      ...(instrumentation ? [instrumentation] : []),
      ...(options.http ? [new modules.http.HttpInstrumentation()] : []),
    ],
  });
  sdk.start();
  // Loading the SDK, which uses more than one CPU, shows nothing about the machine.
  const startedAfterMs = threadRunQueueMs();
  process.on('exit', () => {
    write({ type: 'note', key: 'runQueueMs', value: threadRunQueueMs() - startedAfterMs });
  });
  const lingerMs = options.lingerMs ?? 300;
  if (lingerMs > 0) flushBeforeExit(sdk, lingerMs);
  return { sdk, instrumentation };
}

/** The telemetry options that the test passed to this run. */
function optionsOfRun() {
  return JSON.parse(process.env.TEST_KIT_OPTIONS ?? '{}');
}

module.exports = { startTelemetry, optionsOfRun, write };
