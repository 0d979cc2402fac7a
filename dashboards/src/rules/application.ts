import { dashboardPath, grafanaAddress, runbookLink, tracesLink } from '../links.ts';
import { labels, metrics, records, spans } from '../names.ts';
import { blockedShare, reportingInstances, selector, utilization, waitingForCpuShare } from '../promql.ts';
import { thresholds } from '../thresholds.ts';
import {
  alertLabel,
  blocksOfVersion,
  busySentence,
  culpritSentence,
  hangSentence,
  ofResult,
  placeOf,
  querying,
} from './culprit-template.ts';
import { criticalInMain, type AlertingRule, type RuleGroup, type Severity } from './model.ts';
import { newCulprits } from './versions.ts';

const thread = `{{ $labels.${labels.threadName} }}`;
const service = `{{ $labels.${labels.service} }}`;
const instance = `{{ $labels.${labels.instance} }}`;

/** The same inside of an address: a name can have any characters. */
const serviceInUrl = `{{ $labels.${labels.service} | urlquery }}`;
const instanceInUrl = `{{ $labels.${labels.instance} | urlquery }}`;

const version = `{{ $labels.${labels.version} }}`;
const functionName = `{{ $labels.${labels.function} }}`;

const ofVersion = {
  [labels.service]: alertLabel(labels.service),
  [labels.version]: alertLabel(labels.version),
};

/** Template of a sentence that says by how much a busy host stretched the blocks; empty when it did not, or is unknown. */
const stretch = ((): string => {
  const ofInstance = { [labels.instance]: alertLabel(labels.instance) };
  return ofResult(
    querying(
      ofInstance,
      (...where) =>
        `${waitingForCpuShare('increase', [labels.instance], where, '10m')} > ${thresholds.waitingForCpuShare}`,
    ),
    ` For {{ . | first | value | humanizePercentage }} of the blocked time, the blocked thread waited for a CPU:` +
      ` the host or a CPU quota stretched the blocks.`,
  );
})();

/** Where the links of an alert lead: a path of Grafana, and the name of the spans. */
interface RuleLinks {
  readonly dashboard?: string;
  readonly operation?: string;
}

function rule(
  alert: string,
  severity: Severity,
  expr: string,
  holdFor: string | undefined,
  summary: string,
  description: string,
  { dashboard = dashboardPath('instance', { instance: instanceInUrl }), operation = spans.blocked }: RuleLinks = {},
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
      dashboard_url: grafanaAddress + dashboard,
      traces_url: tracesLink(serviceInUrl, operation),
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
  interval: '10s',
  rules: [
    rule(
      'EventLoopLagHigh',
      'warning',
      `${records.slowLagIncrease} > 0`,
      '10s',
      `Event loop of ${service} lagged for more than ${thresholds.lagSeconds} s`,
      `In the last minute, events of thread ${thread} in ${instance} waited for more than ${thresholds.lagSeconds} s.${culpritSentence}${stretch}`,
    ),
    rule(
      'EventLoopLagSustained',
      'warning',
      `${records.lagP99} > ${thresholds.lagP99Seconds}`,
      '10m',
      `Event loop of ${service} has lagged for ten minutes`,
      `For ten minutes, one event in a hundred of thread ${thread} in ${instance} has waited for ` +
        `{{ $value | humanizeDuration }} or more.${culpritSentence}${stretch}`,
    ),
    rule(
      'EventLoopBlockedShareHigh',
      criticalInMain,
      `${records.blockedShare} > ${thresholds.blockedShareShortWindow} and ` +
        `${blockedShare('1h')} > ${thresholds.blockedShareLongWindow}`,
      '1m',
      `${service} is blocked for {{ $value | humanizePercentage }} of the time`,
      `Thread ${thread} in ${instance} was blocked for {{ $value | humanizePercentage }} of the last five minutes, ` +
        `and for more than ${thresholds.blockedShareLongWindow * 100} % of the last hour.${culpritSentence}${stretch}`,
    ),
    rule(
      'EventLoopNewCulprit',
      'warning',
      newCulprits,
      undefined,
      `${functionName} blocks ${service} since version ${version}`,
      `${functionName}${placeOf(alertLabel(labels.function), ofVersion)} took {{ $value | humanizeDuration }} of the last ten ` +
        `minutes: ${blocksOfVersion}. New in ${version}: no version before has blocked there.`,
      { dashboard: dashboardPath('overview', { service: serviceInUrl }) },
    ),
    rule(
      'EventLoopSaturated',
      'warning',
      `${utilization()} > ${thresholds.utilization}`,
      '10m',
      `Event loop of ${service} is saturated`,
      `Thread ${thread} in ${instance} has been busy for {{ $value | humanizePercentage }} of the time for ten minutes. ` +
        `Additional requests must wait.${busySentence}`,
      { operation: spans.saturated },
    ),
    rule(
      'ThreadPoolStarved',
      'warning',
      `${records.slowPoolIncrease} > 0`,
      '10s',
      `Tasks of ${service} waited for libuv's thread pool for more than ${thresholds.poolWaitSeconds} s`,
      `In the last minute, tasks of ${instance} waited for more than ${thresholds.poolWaitSeconds} s for a thread of libuv's ` +
        `pool, which fs, dns.lookup, crypto and zlib share. The loop may be free meanwhile. The span ${spans.poolStarved} ` +
        `says what the threads did and what waited.`,
      { operation: spans.poolStarved },
    ),
    rule(
      'EventLoopHang',
      criticalInMain,
      `${metrics.stalled} > ${thresholds.hangSeconds} and time() - timestamp(${metrics.stalled}) < ${thresholds.stalledSampleAgeSeconds}`,
      undefined,
      `${service} hangs: its event loop has been blocked for {{ $value | humanizeDuration }}`,
      `Thread ${thread} in ${instance} is blocked and processes no events.${hangSentence} Its watchdog thread reports this, and sends ` +
        `the span ${spans.hang}, which names the code and the request.{{ with $labels.${labels.version} }} Version {{ . }}.{{ end }}`,
      { operation: spans.hang },
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
export const firingAlerts = `ALERTS${selector('alertstate="firing"', 'alertname=~"EventLoop.*|ThreadPool.*|Telemetry.*"')}`;
