import { runbookLink } from '../links.ts';
import { labels, metrics, records } from '../names.ts';
import { agents, agentService, grownInFiveMinutes, lostInQueue, ownSeries, selector } from '../promql.ts';
import { thresholds } from '../thresholds.ts';
import type { AlertingRule, RecordingGroup, RuleGroup, Severity } from './model.ts';

function rule(
  alert: string,
  severity: Severity,
  expr: string,
  holdFor: string,
  summary: string,
  description: string,
): AlertingRule {
  return {
    alert,
    expr,
    for: holdFor,
    labels: { severity },
    annotations: { summary, description, runbook_url: runbookLink(alert) },
  };
}

function grownBy(label: string, counter: string): string {
  return `${grownInFiveMinutes(label, counter)} > 0`;
}

/**
 * What was lost in the last hour, and no earlier than ten minutes ago, so that a single sample that was taken while an
 * entry came into the queue does not count. After a restart, what that process has found on disk hides as many losses,
 * until the hour is all of one process.
 */
function newlyLostInQueue(): string {
  const latest = `min_over_time(${records.lostInQueue}[10m])`;
  const before = `min_over_time(${records.lostInQueue}[1h])`;
  return `${latest} - clamp_min(${before}, 0) > 0 or ${latest} - ${before} > 0 and ${olderThan(4500)}`;
}

const agentsBefore = `min_over_time(${records.agents}[5m] offset 15m)`;

function olderThan(seconds: number): string {
  return `on (${labels.instance}) ${metrics.collectorUptime} > ${seconds}`;
}

/** Counting many series takes time, so it is done once a minute. */
export const seriesRules: RecordingGroup = {
  name: 'event_loop.series',
  interval: '1m',
  rules: [
    {
      record: records.series,
      description: 'Active series of the instrumentation, of the span metrics and of these rules.',
      expr: ownSeries,
    },
  ],
};

/** What the alerts and the dashboard of the pipeline read. */
export const pipelineRules: RecordingGroup = {
  name: 'event_loop.pipeline_recording',
  rules: [
    {
      record: records.agents,
      description: 'Agents that reported in the last three minutes.',
      expr: agents('3m'),
    },
    {
      record: records.lost,
      description:
        'Spans and metric points that a collector has dropped since its start, because a queue was full or a backend refused ' +
        'them for good.',
      expr: `sum by (${labels.instance}, exporter) ({__name__=~"${metrics.lostItems}"})`,
    },
    {
      record: records.refused,
      description: 'Spans and metric points that a receiver of a collector has refused since its start.',
      expr: `sum by (${labels.instance}, receiver) ({__name__=~"${metrics.refusedItems}"})`,
    },
    {
      record: records.memoryRefused,
      description: 'Spans and metric points that the memory limiter of a collector has refused since its start.',
      expr: `sum by (${labels.instance}) ({__name__=~"${metrics.memoryRefusedSpans}|${metrics.memoryRefusedPoints}"})`,
    },
    {
      record: records.lostInQueue,
      description:
        'Spans and metric points that went into the queue of an exporter and did not come out, while the queue is empty.',
      // Not soon after a restart: Prometheus shows counters of the process before for five minutes.
      expr: `${lostInQueue()} and ${olderThan(600)}`,
    },
  ],
};

export const pipelineAlerts: RuleGroup = {
  name: 'event_loop.pipeline',
  rules: [
    rule(
      'TelemetryQueueFilling',
      'warning',
      `${metrics.queueSize} / ${metrics.queueCapacity} > ${thresholds.queueFill}`,
      '1m',
      `The collector's queue to {{ $labels.exporter }} is filling up`,
      'The queue is {{ $value | humanizePercentage }} full: the backend is down or too slow. ' +
        'When the queue is full, new data is dropped.',
    ),
    rule(
      'TelemetryLost',
      'critical',
      grownBy('exporter', records.lost),
      '0s',
      'The collector lost telemetry on its way to {{ $labels.exporter }}',
      'The collector dropped {{ $value | humanize }} spans or metric points in the last five minutes, because the ' +
        'queue or its disk is full, or the backend rejects them permanently.',
    ),
    rule(
      'TelemetryLostInQueue',
      'critical',
      newlyLostInQueue(),
      '2m',
      'The collector lost what was in its queue to {{ $labels.exporter }}',
      '{{ $labels.service_instance_id }} accepted {{ $value | humanize }} spans or metric points for its queue on disk and has ' +
        'not sent them, although the queue is empty: most likely its disk was full.',
    ),
    rule(
      'TelemetryRefused',
      'warning',
      grownBy('receiver', records.refused),
      '1m',
      'The collector refuses telemetry',
      'The collector refused {{ $value | humanize }} spans or metric points in the last five minutes, most likely because it is ' +
        'short of memory. The SDKs retry a few times, then drop the data.',
    ),
    rule(
      'TelemetryMemoryLimitReached',
      'warning',
      grownBy(labels.instance, records.memoryRefused),
      '1m',
      'A collector has reached its memory limit',
      'The memory limiter of {{ $labels.service_instance_id }} refused {{ $value | humanize }} spans or metric points in the ' +
        'last five minutes.',
    ),
    rule(
      'TelemetryTracesDroppedTooEarly',
      'warning',
      grownBy(labels.instance, metrics.droppedTooEarly),
      '0s',
      'A collector drops traces before their sampling decision',
      '{{ $labels.service_instance_id }} dropped {{ $value | humanize }} traces in the last five minutes, because more ' +
        'than num_traces wait for a decision. Blocks and hangs are not among the dropped spans.',
    ),
    rule(
      'TelemetryAgentMissing',
      'warning',
      `${records.agents} < ${agentsBefore} or ${agentsBefore} unless ${records.agents}`,
      '5m',
      'Fewer agents report than before',
      'Agents stopped reporting and none took their place. Processes on their nodes cannot send telemetry, unless the nodes ' +
        'were removed.',
    ),
    rule(
      'EventLoopSeriesBudgetExceeded',
      'warning',
      `${records.series} > ${thresholds.seriesBudget}`,
      '15m',
      'Loopwatch has more active series than planned',
      '{{ $value | humanize }} active series are of Loopwatch. The memory of Prometheus grows with them.',
    ),
    rule(
      'TelemetryCollectorVanished',
      'critical',
      `absent_over_time(${metrics.collectorUptime}${selector(`${labels.service}!="${agentService}"`)}[3m])`,
      '1m',
      'The collector stopped reporting',
      'Prometheus has received no metrics of the collector for three minutes: it is down, or it cannot reach ' +
        'Prometheus. Until it is back, the other alerts have no new data and cannot fire.',
    ),
  ],
};
