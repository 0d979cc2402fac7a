import { stringify } from 'yaml';

import { labels } from '../names.ts';
import { encoded } from './template.ts';

/** Where secrets and addresses are: none is in the repository. */
const SECRETS = '/etc/alertmanager/secrets';
const TITLE = '{{ template "loopwatch.title" . }}';
const TEXT = '{{ template "loopwatch.text" . }}';

/** The alerts of one thread: a cause silences what follows from it. */
const ofThread = [labels.service, labels.instance, labels.threadName];

/** What a receiver is made of, besides its name. */
type Receiver = Readonly<Record<string, unknown>>;

/** The example receivers, by the names of their files. */
export const receivers: Readonly<Record<string, Receiver>> = {
  webhook: {
    webhook_configs: [
      {
        url_file: `${SECRETS}/webhook-url`,
        payload: {
          status: '{{ .Status }}',
          ...encoded,
          alert: '{{ .CommonLabels.alertname | toJson }}',
          service: `{{ .GroupLabels.${labels.service} | toJson }}`,
        },
      },
    ],
  },
  slack: {
    slack_configs: [
      {
        api_url_file: `${SECRETS}/slack-url`,
        send_resolved: true,
        title: '{{ template "loopwatch.slack.title" . }}',
        title_link: '{{ (index .Alerts 0).Annotations.dashboard_url }}',
        text: '{{ template "loopwatch.slack.text" . }}',
        color: '{{ if eq .Status "firing" }}danger{{ else }}good{{ end }}',
      },
    ],
  },
  pagerduty: {
    pagerduty_configs: [
      {
        routing_key_file: `${SECRETS}/pagerduty-key`,
        description: TITLE,
        severity: '{{ if eq .CommonLabels.severity "critical" }}critical{{ else }}warning{{ end }}',
        details: { text: TEXT },
        links: [{ href: '{{ (index .Alerts 0).Annotations.runbook_url }}', text: 'Runbook' }],
      },
    ],
  },
};

/** Alertmanager's configuration with one receiver; without its parts, alerts are only shown. */
export function alertmanagerFile(receiver: Receiver = {}): string {
  return stringify(
    {
      templates: ['*.tmpl'],
      route: {
        receiver: 'on-call',
        // One notification for a service, however many of its instances it is about.
        group_by: ['alertname', labels.service],
        group_wait: '10s',
        group_interval: '1m',
        repeat_interval: '4h',
        routes: [
          {
            // What needs no one at night is repeated once a day.
            matchers: ['severity = warning'],
            receiver: 'on-call',
            group_wait: '30s',
            repeat_interval: '24h',
          },
        ],
      },
      inhibit_rules: [
        {
          // A hang is a lag that lasts: it says more.
          source_matchers: ['alertname = EventLoopHang'],
          target_matchers: ['alertname =~ "EventLoopLagHigh|EventLoopLagSustained|EventLoopBlockedShareHigh"'],
          equal: ofThread,
        },
        {
          source_matchers: ['alertname = EventLoopSaturated'],
          target_matchers: ['alertname = EventLoopLagSustained'],
          equal: ofThread,
        },
        {
          // Without the collector, no instance reports.
          source_matchers: ['alertname = TelemetryCollectorVanished'],
          target_matchers: ['alertname = EventLoopInstanceVanished'],
        },
      ],
      receivers: [{ name: 'on-call', ...receiver }],
    },
    { lineWidth: 0 },
  );
}
