import { dashboardPath, grafanaUrl, runbookLink, tracesLink } from '../links.ts';
import { labels, metrics, records } from '../names.ts';
import { histogramTotal, reportingInstances, selector, utilization } from '../promql.ts';
import { thresholds } from '../thresholds.ts';
import type { AlertingRule, RuleGroup } from './model.ts';

const thread = `{{ $labels.${labels.threadName} }}`;
const service = `{{ $labels.${labels.service} }}`;
const instance = `{{ $labels.${labels.instance} }}`;

/** The function that blocked this process for the longest in the last ten minutes, as a sentence; nothing when unknown. */
const culprit = ((): string => {
  const matchers = [`${labels.instance}="%s"`, `${labels.function}!=""`];
  const total = histogramTotal('sum', 'increase', metrics.blockedDuration, [labels.function], matchers, '10m');
  // The instance stands in it twice, once for each form of a histogram.
  const query = `topk(1, ${total} > 0)`.replaceAll('"', '\\"');
  const values = `$labels.${labels.instance} $labels.${labels.instance}`;
  return (
    `{{ with printf "${query}" ${values} | query }}` +
    ` Longest in the last ten minutes: {{ . | first | label "${labels.function}" }}` +
    ` ({{ . | first | value | humanizeDuration }}).{{ end }}`
  );
})();

function rule(
  alert: string,
  severity: AlertingRule['labels']['severity'],
  expr: string,
  holdFor: string | undefined,
  summary: string,
  description: string,
): AlertingRule {
  return {
    alert,
    expr,
    ...(holdFor === undefined ? {} : { for: holdFor }),
    labels: { severity },
    annotations: {
      summary,
      description,
      runbook_url: runbookLink(alert),
      dashboard_url: grafanaUrl + dashboardPath('instance', { instance }),
      traces_url: tracesLink(service),
    },
  };
}

/**
 * An instance that is gone while its service has fewer than it had at any moment of the ten minutes before: a deployment
 * replaces instances, and has more of them for a while, but never fewer.
 */
const vanished = ((): string => {
  const range = `${thresholds.vanishedAfterSeconds}s`;
  const gone = `${reportingInstances(range, '5m')} unless ${reportingInstances(range)}`;
  const fewest = `min_over_time(${records.instances}[10m] offset 5m)`;
  return `(${gone}) and on (${labels.service}) (${records.instances} < ${fewest} or ${fewest} unless ${records.instances})`;
})();

export const applicationAlerts: RuleGroup = {
  name: 'event_loop.alerts',
  rules: [
    rule(
      'EventLoopLagHigh',
      'warning',
      `${records.slowLagIncrease} > 0`,
      '10s',
      `Event loop of ${service} lagged for more than ${thresholds.lagSeconds} s`,
      `In the last minute, events of thread ${thread} in ${instance} waited for more than ${thresholds.lagSeconds} s.${culprit}`,
    ),
    rule(
      'EventLoopLagSustained',
      'warning',
      `${records.lagP99} > ${thresholds.lagP99Seconds}`,
      '10m',
      `Event loop of ${service} lags`,
      `For ten minutes, one event in a hundred of thread ${thread} in ${instance} has waited for ` +
        `{{ $value | humanizeDuration }} or more.${culprit}`,
    ),
    rule(
      'EventLoopBlockedShareHigh',
      'critical',
      `${records.blockedShare5m} > ${thresholds.blockedShareShortWindow} and ` +
        `${records.blockedShare1h} > ${thresholds.blockedShareLongWindow}`,
      '1m',
      `${service} is blocked for {{ $value | humanizePercentage }} of the time`,
      `Thread ${thread} in ${instance} was blocked for {{ $value | humanizePercentage }} of the last five minutes, ` +
        `and for more than ${thresholds.blockedShareLongWindow * 100} % of the last hour.${culprit}`,
    ),
    rule(
      'EventLoopSaturated',
      'warning',
      `${utilization()} > ${thresholds.utilization}`,
      '10m',
      `Event loop of ${service} has no room left`,
      `Thread ${thread} in ${instance} has been busy for {{ $value | humanizePercentage }} of the time for ten minutes: ` +
        `a burst has nowhere to go.`,
    ),
    rule(
      'EventLoopHang',
      'critical',
      `${metrics.stalled} > ${thresholds.hangSeconds} and time() - timestamp(${metrics.stalled}) < ${thresholds.stalledSampleAgeSeconds}`,
      undefined,
      `${service} hangs: its event loop has been blocked for {{ $value | humanizeDuration }}`,
      `Thread ${thread} in ${instance} is blocked and answers nobody. Its watchdog reports it; the span event-loop-hang ` +
        `in Jaeger names the code.`,
    ),
    rule(
      'EventLoopInstanceVanished',
      'critical',
      vanished,
      '1m',
      `An instance of ${service} went silent`,
      `${instance} has sent no metrics for ${thresholds.vanishedAfterSeconds} s, and no other instance took its place. ` +
        `A process whose event loop hangs exports nothing; neither does one that was killed.`,
    ),
  ],
};

/** Alerts of this file, as Prometheus' own series. */
export const firingAlerts = `ALERTS${selector('alertstate="firing"', 'alertname=~"EventLoop.*|Telemetry.*"')}`;
