import * as semconv from '@loopwatch/instrumentation-event-loop/semconv';

/**
 * The name that Prometheus' OTLP receiver gives to a metric or attribute (translation strategy
 * UnderscoreEscapingWithSuffixes): dots become underscores, the unit becomes a suffix, the unit `1` of a gauge becomes
 * `_ratio`, and a counter gets `_total`.
 */
function prometheusName(name: string, suffix: Suffix): string {
  return name.replaceAll('.', '_') + suffix;
}

type Suffix = '' | '_seconds' | '_seconds_total' | '_milliseconds' | '_ratio' | '_bytes';

/** Metrics of our instrumentation, of instrumentation-runtime-node, of the span_metrics connectors, of the collector. */
export const metrics = {
  lag: prometheusName(semconv.METRIC_EVENT_LOOP_LAG, '_seconds'),
  blockedDuration: prometheusName(semconv.METRIC_EVENT_LOOP_BLOCKED_DURATION, '_seconds'),
  blockedRunQueueTime: prometheusName(semconv.METRIC_EVENT_LOOP_BLOCKED_RUN_QUEUE_TIME, '_seconds_total'),
  stalled: prometheusName(semconv.METRIC_EVENT_LOOP_STALLED, '_seconds'),
  threads: prometheusName(semconv.METRIC_EVENT_LOOP_THREADS, ''),
  utilization: prometheusName(semconv.METRIC_EVENT_LOOP_UTILIZATION, '_ratio'),
  mainUtilization: prometheusName('nodejs.eventloop.utilization', '_ratio'),
  threadIdleAge: prometheusName(semconv.METRIC_EVENT_LOOP_THREAD_IDLE_AGE, '_seconds'),

  gcDuration: prometheusName('v8js.gc.duration', '_seconds'),
  heapUsed: prometheusName('v8js.memory.heap.used', '_bytes'),
  heapSize: prometheusName('v8js.memory.heap.space.size', '_bytes'),

  // The two span_metrics connectors in otel-collector-config.yaml set these namespaces.
  blockSpanDuration: prometheusName('event_loop.blocked.span.duration', '_seconds'),
  // Milliseconds, because Jaeger's Monitor tab takes every value for milliseconds.
  requestDuration: prometheusName('traces.span.metrics.duration', '_milliseconds'),

  collectorUptime: 'otelcol_process_uptime_seconds_total',
  queueSize: 'otelcol_exporter_queue_size',
  queueCapacity: 'otelcol_exporter_queue_capacity',
} as const;

/** Recording rules: `level:metric:operations`. */
export const records = {
  slowLagIncrease: 'event_loop:lag_over_1s:increase1m',
  lagP99: 'event_loop:lag_seconds:p99_rate5m',
  blockedShare5m: 'event_loop:blocked_share:rate5m',
  blockedShare1h: 'event_loop:blocked_share:rate1h',
  instances: 'event_loop:instances:count',
} as const;

export const labels = {
  service: 'service_name',
  instance: 'service_instance_id',
  threadName: prometheusName(semconv.ATTR_THREAD_NAME, ''),
  function: prometheusName(semconv.ATTR_CODE_FUNCTION_NAME, ''),
  file: prometheusName(semconv.ATTR_CODE_FILE_PATH, ''),
  line: prometheusName(semconv.ATTR_CODE_LINE_NUMBER, ''),
  cause: prometheusName(semconv.ATTR_BLOCKED_CAUSE, ''),
  gcType: 'v8js_gc_type',
  heapSpace: 'v8js_heap_space_name',
} as const;

export const spans = {
  blocked: semconv.SPAN_EVENT_LOOP_BLOCKED,
  hang: semconv.SPAN_EVENT_LOOP_HANG,
} as const;
