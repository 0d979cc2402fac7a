import { dashboardPath, grafanaUrl, runbookLink, tracesLink } from '../links.ts';
import { labels, metrics, records } from '../names.ts';
import { histogramTotal, reportingInstances, selector, utilization, waitingForCpuShare } from '../promql.ts';
import { thresholds } from '../thresholds.ts';
import type { AlertingRule, RuleGroup } from './model.ts';

const thread = `{{ $labels.${labels.threadName} }}`;
const service = `{{ $labels.${labels.service} }}`;
const instance = `{{ $labels.${labels.instance} }}`;

/** Template of a sentence that names the function with the most blocked time in ten minutes; empty when unknown. */
const culprit = ((): string => {
  const matchers = [`${labels.instance}="%s"`, `${labels.function}!=""`];
  const total = histogramTotal('sum', 'increase', metrics.blockedDuration, [labels.function], matchers, '10m');
  return ofResult(
    `topk(1, ${total} > 0)`,
    ` Top culprit in the last ten minutes: {{ . | first | label "${labels.function}" }}` +
      ` ({{ . | first | value | humanizeDuration }}).`,
  );
})();

/** Template of a sentence that says by how much a busy host stretched the blocks; empty when it did not, or is unknown. */
const stretch = ofResult(
  `${waitingForCpuShare('increase', [labels.instance], [`${labels.instance}="%s"`], '10m')} > ${thresholds.waitingForCpuShare}`,
  ` For {{ . | first | value | humanizePercentage }} of the blocked time, the blocked thread waited for a CPU:` +
    ` the host or a CPU quota stretched the blocks.`,
);

/** Template of a text about the result of a query on the alert's instance (`%s`); empty when there is no result. */
function ofResult(query: string, text: string): string {
  const instances = query.match(/%s/g)?.map(() => ` $labels.${labels.instance}`) ?? [];
  return `{{ with printf "${query.replaceAll('"', '\\"')}"${instances.join('')} | query }}${text}{{ end }}`;
}

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
 * Instances that stopped reporting while their service has fewer instances than at any time in the ten minutes before.
 * A deployment that starts new instances before it stops old ones never has fewer.
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
      `In the last minute, events of thread ${thread} in ${instance} waited for more than ${thresholds.lagSeconds} s.${culprit}${stretch}`,
    ),
    rule(
      'EventLoopLagSustained',
      'warning',
      `${records.lagP99} > ${thresholds.lagP99Seconds}`,
      '10m',
      `Event loop of ${service} has lagged for ten minutes`,
      `For ten minutes, one event in a hundred of thread ${thread} in ${instance} has waited for ` +
        `{{ $value | humanizeDuration }} or more.${culprit}${stretch}`,
    ),
    rule(
      'EventLoopBlockedShareHigh',
      'critical',
      `${records.blockedShare5m} > ${thresholds.blockedShareShortWindow} and ` +
        `${records.blockedShare1h} > ${thresholds.blockedShareLongWindow}`,
      '1m',
      `${service} is blocked for {{ $value | humanizePercentage }} of the time`,
      `Thread ${thread} in ${instance} was blocked for {{ $value | humanizePercentage }} of the last five minutes, ` +
        `and for more than ${thresholds.blockedShareLongWindow * 100} % of the last hour.${culprit}${stretch}`,
    ),
    rule(
      'EventLoopSaturated',
      'warning',
      `${utilization()} > ${thresholds.utilization}`,
      '10m',
      `Event loop of ${service} is saturated`,
      `Thread ${thread} in ${instance} has been busy for {{ $value | humanizePercentage }} of the time for ten minutes. ` +
        `Additional requests must wait.`,
    ),
    rule(
      'EventLoopHang',
      'critical',
      `${metrics.stalled} > ${thresholds.hangSeconds} and time() - timestamp(${metrics.stalled}) < ${thresholds.stalledSampleAgeSeconds}`,
      undefined,
      `${service} hangs: its event loop has been blocked for {{ $value | humanizeDuration }}`,
      `Thread ${thread} in ${instance} is blocked and processes no events. Its watchdog thread reports this, and sends ` +
        `the span event-loop-hang, which names the code.`,
    ),
    rule(
      'EventLoopInstanceVanished',
      'critical',
      vanished,
      '1m',
      `An instance of ${service} stopped reporting`,
      `${instance} has sent no metrics for ${thresholds.vanishedAfterSeconds} s, and no other instance took its place. ` +
        `A process that has ended, or whose event loop hangs, exports nothing.`,
    ),
  ],
};

/** Selects the firing alerts of all rules. */
export const firingAlerts = `ALERTS${selector('alertstate="firing"', 'alertname=~"EventLoop.*|Telemetry.*"')}`;
