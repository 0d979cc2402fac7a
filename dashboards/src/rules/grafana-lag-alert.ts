import { stringify } from 'yaml';

import { dashboardPath, explorePath, runbookLink } from '../links.ts';
import { labels, records } from '../names.ts';
import { thresholds } from '../thresholds.ts';

/** The `uid` of each data source in deploy/grafana/provisioning/datasources. */
export const dataSources = { prometheus: 'prometheus', jaeger: 'jaeger' } as const;

/** Grafana inserts its own address, the setting `root_url`. */
const externalUrl = '{{ externalURL }}';
const service = `{{ $labels.${labels.service} }}`;
const instance = `{{ $labels.${labels.instance} }}`;

/**
 * The lag alert as a rule that Grafana evaluates. In provisioned alerting files, Grafana replaces `$name` and `${name}`
 * with environment variables in labels and settings, so a literal dollar sign is written twice there; not in annotations.
 */
export function grafanaLagAlertFile(): string {
  const query = {
    refId: 'lag',
    relativeTimeRange: { from: 600, to: 0 },
    datasourceUid: dataSources.prometheus,
    model: { refId: 'lag', expr: records.slowLagIncrease, instant: true, range: false, editorMode: 'code' },
  };
  const condition = {
    refId: 'slow',
    datasourceUid: '__expr__',
    model: {
      refId: 'slow',
      type: 'threshold',
      expression: 'lag',
      conditions: [{ evaluator: { type: 'gt', params: [0] } }],
    },
  };
  return stringify(
    {
      apiVersion: 1,
      groups: [
        {
          orgId: 1,
          name: 'event-loop',
          folder: 'Loopwatch',
          interval: '10s',
          rules: [
            {
              uid: 'loopwatch-lag-high',
              title: 'EventLoopLagHigh',
              condition: condition.refId,
              data: [query, condition],
              // Without data, no instrumented process has reported yet.
              noDataState: 'OK',
              execErrState: 'Error',
              for: '10s',
              annotations: {
                summary: `Event loop of ${service} lagged for more than ${thresholds.lagSeconds} s`,
                description: `In the last minute, events in ${instance} waited for more than ${thresholds.lagSeconds} s.`,
                runbook_url: runbookLink('EventLoopLagHigh'),
                dashboard_url: externalUrl + dashboardPath('instance', { instance }),
                traces_url: externalUrl + explorePath(dataSources.jaeger, 'SERVICE').replace('SERVICE', service),
              },
              labels: { severity: 'warning', service: service.replaceAll('$', '$$$$') },
              isPaused: false,
            },
          ],
        },
      ],
    },
    { lineWidth: 0 },
  );
}
