import { spans } from './names.ts';

/** Addresses that `docker compose up` publishes. For another host, change them and run `npm run generate`. */
export const grafanaUrl = 'http://127.0.0.1:3000';
export const jaegerUrl = 'http://127.0.0.1:16686';
const runbookUrl = 'https://github.com/loopwatch/loopwatch/blob/main/docs/runbooks';

export const dashboards = {
  overview: { uid: 'loopwatch-overview', slug: 'event-loop-overview', title: 'Event loop overview' },
  instance: { uid: 'loopwatch-instance', slug: 'event-loop-of-one-instance', title: 'Event loop of one instance' },
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

/** Link to the blocks of a service in Jaeger's search. */
export function tracesLink(service: string): string {
  return `${jaegerUrl}/search?service=${service}&operation=${spans.blocked}&lookback=1h`;
}
