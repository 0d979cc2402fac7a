import { spans } from './names.ts';

/** Addresses that `docker compose up` publishes: of alerts, where Prometheus' configuration gives no other. */
const localUrls = { grafana: 'http://127.0.0.1:3000', jaeger: 'http://127.0.0.1:16686' } as const;
/** Names of the external labels with the addresses of a fleet, in deploy/prometheus/prometheus.yml. */
const addressLabels = { grafana: 'grafana_url', jaeger: 'jaeger_url' } as const;

/** Template of Prometheus' annotations. */
function addressOf(part: keyof typeof localUrls): string {
  return `{{ with $externalLabels.${addressLabels[part]} }}{{ . }}{{ else }}${localUrls[part]}{{ end }}`;
}
export const grafanaAddress = addressOf('grafana');

const runbookUrl = 'https://github.com/loopwatch/loopwatch/blob/main/docs/runbooks';

export const dashboards = {
  overview: { uid: 'loopwatch-overview', slug: 'event-loop-overview', title: 'Event loop overview' },
  instance: { uid: 'loopwatch-instance', slug: 'event-loop-of-one-instance', title: 'Event loop of one instance' },
  pipeline: { uid: 'loopwatch-pipeline', slug: 'telemetry-pipeline', title: 'Telemetry pipeline' },
} as const;

/** File of the runbook of an alert, in docs/runbooks. */
export function runbookFile(alert: string): string {
  return `${alert.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}.md`;
}

export function runbookLink(alert: string): string {
  return `${runbookUrl}/${runbookFile(alert)}`;
}

/** Path of a dashboard with values of its variables: literals or placeholders of a template. Values are not escaped. */
export function dashboardPath(dashboard: keyof typeof dashboards, variables: Record<string, string> = {}): string {
  const { uid, slug } = dashboards[dashboard];
  const query = Object.entries(variables).map(([name, value]) => `var-${name}=${value}`);
  return `/d/${uid}/${slug}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

/** Link to the blocks of a service in Jaeger's search, or to other spans; a template of Prometheus' annotations. */
export function tracesLink(service: string, operation: string = spans.blocked): string {
  return `${addressOf('jaeger')}/search?service=${service}&operation=${operation}&lookback=1h`;
}

/**
 * Path of Grafana's own view of the traces with a block, which needs no address of Jaeger. The data source is an id or a
 * variable of a dashboard; service and function are variables or literals.
 */
export function explorePath(dataSource: string, service: string, functionName?: string): string {
  const query = {
    refId: 'A',
    datasource: { type: 'jaeger', uid: dataSource },
    queryType: 'search',
    service,
    operation: spans.blocked,
    ...(functionName !== undefined && { tags: `code.function.name="${functionName}"` }),
  };
  const panes = { blocks: { datasource: dataSource, queries: [query], range: { from: 'now-1h', to: 'now' } } };
  // Grafana replaces variables in the text of a link: their marks must not be encoded.
  const text = encodeURIComponent(JSON.stringify(panes)).replaceAll(/%24%7B([\w.]+)%7D/g, '${$1}');
  return `/explore?schemaVersion=1&panes=${text}`;
}
