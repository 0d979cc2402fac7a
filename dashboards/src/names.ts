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
  memoryRefusedSpans: 'otelcol_processor_memory_limiter_refused_spans_total',
  memoryRefusedPoints: 'otelcol_processor_memory_limiter_refused_metric_points_total',
} as const;

/** Recording rules: `level:metric:operations`. */
export const records = {
  slowLagIncrease: 'event_loop:lag_over_1s:increase1m',
  lagP99: 'event_loop:lag_seconds:p99_rate5m',
  slowPoolIncrease: 'libuv:thread_pool_queue_wait_over_1s:increase1m',
  blockedShare5m: 'event_loop:blocked_share:rate5m',
  blockedShare1h: 'event_loop:blocked_share:rate1h',
  instances: 'event_loop:instances:count',
  culpritSeconds: 'event_loop:culprit_blocked_seconds:increase10m',
  culpritOwnSeconds: 'event_loop:culprit_own_seconds:increase10m',
  culpritBlocks: 'event_loop:culprit_blocks:increase10m',
  culpritTotal: 'event_loop:culprit_blocks:total',
  culpritLastBlocked: 'event_loop:culprit_last_blocked:timestamp',
  versionFirstSeen: 'event_loop:version_first_seen:timestamp',
  newestVersionLead: 'event_loop:newest_version_lead:seconds',
  series: 'event_loop:series:count',
  lostInQueue: 'otelcol:exporter_lost_in_queue:items',
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
