import { getJson } from './http.ts';

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly status: { readonly inhibitedBy: readonly string[] };
}

/** Alertmanager's HTTP API, version 2. */
export class Alertmanager {
  readonly #url: string;

  constructor(baseUrl: string) {
    this.#url = baseUrl;
  }

  /** Names of the alerts of a service that Alertmanager has and keeps back, because of another alert. */
  async inhibited(service: string): Promise<readonly string[]> {
    const alerts = (await getJson(new URL('/api/v2/alerts', this.#url))) as readonly Alert[];
    return alerts
      .filter(({ labels, status }) => labels['service_name'] === service && status.inhibitedBy.length > 0)
      .map(({ labels }) => labels['alertname']!);
  }
}
