import { conventions, prometheusLabel, prometheusMetric } from '@loopwatch/conventions';
import {
  ATTR_DEPLOYMENT_ENVIRONMENT_NAME,
  ATTR_V8JS_GC_TYPE,
  ATTR_V8JS_HEAP_SPACE_NAME,
  METRIC_NODEJS_EVENTLOOP_UTILIZATION,
  METRIC_V8JS_GC_DURATION,
  METRIC_V8JS_MEMORY_HEAP_SPACE_SIZE,
  METRIC_V8JS_MEMORY_HEAP_USED,
} from '@opentelemetry/semantic-conventions/incubating';

/** Metrics of our instrumentation, of instrumentation-runtime-node, of the span_metrics connectors, of the collector. */
export const metrics = {
  lag: metric('event_loop.lag'),
  blockedDuration: metric('event_loop.blocked.duration'),
  blockedRunQueueTime: metric('event_loop.blocked.run_queue_time'),
  busyTime: metric('event_loop.busy_time'),
  stalled: metric('event_loop.stalled'),
  threads: metric('event_loop.threads'),
  utilization: metric('event_loop.utilization'),
  mainUtilization: prometheusMetric({ name: METRIC_NODEJS_EVENTLOOP_UTILIZATION, unit: '1', instrument: 'gauge' }),
  threadIdleAge: metric('event_loop.thread.idle_age'),
  poolQueueWait: metric('libuv.thread_pool.queue_wait'),
  poolBusy: metric('libuv.thread_pool.busy'),

  gcDuration: prometheusMetric({ name: METRIC_V8JS_GC_DURATION, unit: 's', instrument: 'histogram' }),
  heapUsed: prometheusMetric({ name: METRIC_V8JS_MEMORY_HEAP_USED, unit: 'By', instrument: 'updowncounter' }),
  heapSize: prometheusMetric({ name: METRIC_V8JS_MEMORY_HEAP_SPACE_SIZE, unit: 'By', instrument: 'updowncounter' }),

  // The two span_metrics connectors in otel-collector-config.yaml set these namespaces.
  blockSpanDuration: metric('event_loop.blocked.span.duration'),
  // Milliseconds, because Jaeger's Monitor tab takes every value for milliseconds.
  requestDuration: prometheusMetric({ name: 'traces.span.metrics.duration', unit: 'ms', instrument: 'histogram' }),

  collectorUptime: 'otelcol_process_uptime_seconds_total',
  queueSize: 'otelcol_exporter_queue_size',
  queueCapacity: 'otelcol_exporter_queue_capacity',
  /** Spans and points that an exporter was given, counted before they are in its queue: a view of the configuration. */
  offered: 'otelcol_exporter_queue_batch_send_size_total',
  collectorMemory: 'otelcol_process_memory_rss_bytes',
  droppedTooEarly: 'otelcol_processor_tail_sampling_sampling_trace_dropped_too_early_total',
  tracesInMemory: 'otelcol_processor_tail_sampling_sampling_traces_on_memory',
  /** Regular expressions of names: spans and metric points are counted apart. */
  lostItems: 'otelcol_exporter_(enqueue|send)_failed_(spans|metric_points)_total',
  refusedItems: 'otelcol_receiver_refused_(spans|metric_points)_total',
  memoryRefusedSpans: 'otelcol_processor_memory_limiter_refused_spans_total',
  memoryRefusedPoints: 'otelcol_processor_memory_limiter_refused_metric_points_total',
} as const;

/**
 * Recording rules: `level:metric:operations`. The level says which labels are left, see rules/levels.ts; of
 * the operations, the last one stands first.
 */
export const records = {
  slowLagIncrease: 'thread:event_loop_lag_over_1s:increase1m',
  lagP99: 'thread:event_loop_lag_seconds:p99_rate5m',
  blockedShare: 'thread:event_loop_blocked_share:rate5m',
  slowPoolIncrease: 'lane:libuv_thread_pool_queue_wait_over_1s:increase1m',
  instances: 'service:event_loop_instances:count',

  busyOfRequests: 'request:event_loop_busy_seconds:rate5m',
  busyOfFunctions: 'function:event_loop_busy_seconds:rate5m',
  threads: 'version:event_loop_threads:sum',
  busyShare: 'version:event_loop_busy_share:rate5m',
  topRequest: 'thread_request:event_loop_busy_share:topk1_rate10m',
  topFunction: 'thread_function:event_loop_busy_share:topk1_rate10m',

  namedBlocks: 'version:event_loop_named_blocks:group',
  metricSeconds: 'culprit:event_loop_blocked_duration_seconds_sum:increase10m',
  metricBlocks: 'culprit:event_loop_blocked_duration_seconds_count:increase10m',
  spanSeconds: 'culprit:event_loop_blocked_span_duration_seconds_sum:increase10m',
  spanBlocks: 'culprit:event_loop_blocked_span_duration_seconds_count:increase10m',
  culpritSeconds: 'culprit:event_loop_blocked_seconds:increase10m',
  culpritOwnSeconds: 'culprit:event_loop_blocked_own_seconds:increase10m',
  culpritBlocks: 'culprit:event_loop_blocks:increase10m',
  culpritTotal: 'culprit:event_loop_blocks:sum',

  version: 'version:event_loop_lag_seconds:group',
  versionFirstSeen: 'version:event_loop_first_seen:timestamp',
  newestVersionLead: 'version:event_loop_newest_lead:seconds',
  culpritLastBlocked: 'culprit:event_loop_last_blocked:timestamp',
  culpritLine: 'line:event_loop_blocked_span_duration_seconds:topk1_sum',
  culpritPlace: 'line:event_loop_last_blocked:timestamp',

  newCulpritMinutes: 'version:event_loop_new_culprit_minutes:min',
  otherCulprits: 'service:event_loop_other_blocked_seconds:max1d',
  culpritMinutes: 'culprit:event_loop_blocked_minutes:count10m',
  heavyCulprits: 'culprit:event_loop_heavy_blocked_seconds:increase10m',
  newCulprits: 'culprit:event_loop_new_blocked_seconds:increase10m',

  series: 'loopwatch:active_series:count',
  agents: 'loopwatch:agents:count',
  lost: 'exporter:otelcol_lost_items:sum',
  refused: 'receiver:otelcol_refused_items:sum',
  memoryRefused: 'collector:otelcol_memory_limiter_refused_items:sum',
  lostInQueue: 'exporter:otelcol_lost_in_queue_items:sum',
} as const;

export const labels = {
  service: label('service.name'),
  instance: label('service.instance.id'),
  version: label('service.version'),
  environment: prometheusLabel(ATTR_DEPLOYMENT_ENVIRONMENT_NAME),
  threadName: label('thread.name'),
  function: label('code.function.name'),
  file: label('code.file.path'),
  line: label('code.line.number'),
  request: label('event_loop.request'),
  cause: label('event_loop.blocked.cause'),
  /** Of the span_metrics connectors. */
  spanName: 'span_name',
  poolLane: label('libuv.thread_pool.lane'),

  gcType: prometheusLabel(ATTR_V8JS_GC_TYPE),
  heapSpace: prometheusLabel(ATTR_V8JS_HEAP_SPACE_NAME),
} as const;

export const spans = {
  blocked: span('span.event_loop.blocked'),
  hang: span('span.event_loop.hang'),
  saturated: span('span.event_loop.saturated'),
  poolStarved: span('span.libuv.thread_pool.starved'),
} as const;

function metric(name: string): string {
  return prometheusMetric(
    found(
      name,
      conventions.metrics.find((each) => each.name === name),
    ),
  );
}

function label(name: string): string {
  return prometheusLabel(
    found(
      name,
      conventions.attributes.find((each) => each.name === name),
    ).name,
  );
}

function span(id: string): string {
  return found(
    id,
    conventions.spans.find((each) => each.id === id),
  ).name;
}

function found<T>(name: string, convention: T | undefined): T {
  if (convention === undefined) throw new Error(`Expected ${name} in semconv/registry.`);
  return convention;
}
