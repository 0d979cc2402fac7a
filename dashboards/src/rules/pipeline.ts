import { runbookLink } from '../links.ts';
import { metrics } from '../names.ts';
import { thresholds } from '../thresholds.ts';
import type { AlertingRule, RuleGroup } from './model.ts';

function rule(
  alert: string,
  severity: AlertingRule['labels']['severity'],
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

/** Any of these counters grew in five minutes. One term each: a range over several names has several equal label sets. */
function increasedBy(label: string, counters: readonly string[]): string {
  return counters.map((counter) => `sum by (${label}) (increase(${counter}[5m])) > 0`).join(' or ');
}

export const pipelineAlerts: RuleGroup = {
  name: 'event_loop.pipeline',
  rules: [
    rule(
      'TelemetryQueueFilling',
      'warning',
      `${metrics.queueSize} / ${metrics.queueCapacity} > ${thresholds.queueFill}`,
      '1m',
      `The collector's queue to {{ $labels.exporter }} fills up`,
      'It is {{ $value | humanizePercentage }} full: the backend behind it is down or too slow. Nothing is lost until it is full.',
    ),
    rule(
      'TelemetryLost',
      'critical',
      increasedBy('exporter', [
        'otelcol_exporter_enqueue_failed_spans_total',
        'otelcol_exporter_enqueue_failed_metric_points_total',
        'otelcol_exporter_send_failed_spans_total',
        'otelcol_exporter_send_failed_metric_points_total',
      ]),
      '0s',
      'The collector lost telemetry on its way to {{ $labels.exporter }}',
      '{{ $value | humanize }} spans or metric points were dropped in the last five minutes: the queue is full, or the ' +
        'backend refused them for good.',
    ),
    rule(
      'TelemetryRefused',
      'warning',
      increasedBy('receiver', ['otelcol_receiver_refused_spans_total', 'otelcol_receiver_refused_metric_points_total']),
      '1m',
      'The collector refuses telemetry',
      'It refused {{ $value | humanize }} spans or metric points in the last five minutes, most likely for want of ' +
        'memory. The applications send them again, for a while.',
    ),
    rule(
      'TelemetryCollectorVanished',
      'critical',
      `absent_over_time(${metrics.collectorUptime}[3m])`,
      '1m',
      'The collector is silent',
      'It has sent nothing about itself for three minutes: it is down, or it cannot reach Prometheus. Every other alert ' +
        'here is blind until it is back.',
    ),
  ],
};
