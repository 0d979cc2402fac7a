/** What a dashboard shows: a span of time, asked for at every step. */
export interface TimeWindow {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly stepSeconds: number;
}

export type Labels = Record<string, string>;

export interface RangeSeries {
  readonly metric: Labels;
  readonly values?: readonly (readonly [timeSeconds: number, value: string])[];
  readonly histograms?: readonly (readonly [timeSeconds: number, histogram: NativeHistogram])[];
}

export interface NativeHistogram {
  readonly buckets?: readonly (readonly [rule: number, lower: string, upper: string, count: string])[];
}

export interface InstantSample {
  readonly metric: Labels;
  readonly value: readonly [timeSeconds: number, value: string];
}

export interface Exemplar {
  readonly timestamp: number;
  readonly value: string;
}

/** As provisioned for Grafana's data source (`timeInterval`). */
const SCRAPE_INTERVAL_SECONDS = 15;

export class Prometheus {
  readonly #url: string;
  readonly #window: TimeWindow;

  constructor(url: string, window: TimeWindow) {
    this.#url = url;
    this.#window = window;
  }

  async range(expression: string): Promise<readonly RangeSeries[]> {
    const { fromSeconds, toSeconds, stepSeconds } = this.#window;
    const data = await this.#get<{ result: RangeSeries[] }>('query_range', {
      query: this.#interpolated(expression),
      // At whole steps, as Grafana asks, so that two pictures of one time show the same values.
      start: String(Math.floor(fromSeconds / stepSeconds) * stepSeconds),
      end: String(Math.floor(toSeconds / stepSeconds) * stepSeconds),
      step: String(stepSeconds),
    });
    return data.result;
  }

  async instant(expression: string): Promise<readonly InstantSample[]> {
    const data = await this.#get<{ result: InstantSample[] }>('query', {
      query: this.#interpolated(expression),
      time: String(this.#window.toSeconds),
    });
    return data.result;
  }

  async exemplars(expression: string): Promise<readonly Exemplar[]> {
    const { fromSeconds, toSeconds } = this.#window;
    const data = await this.#get<{ exemplars: Exemplar[] }[]>('query_exemplars', {
      query: this.#interpolated(expression),
      start: String(fromSeconds),
      end: String(toSeconds),
    });
    return data.flatMap(({ exemplars }) => exemplars);
  }

  /** The variables as Grafana would fill them in, with "All" chosen as the service. */
  #interpolated(expression: string): string {
    const { fromSeconds, toSeconds, stepSeconds } = this.#window;
    const rateSeconds = Math.max(stepSeconds + SCRAPE_INTERVAL_SECONDS, 4 * SCRAPE_INTERVAL_SECONDS);
    return expression
      .replaceAll('$__rate_interval', `${rateSeconds}s`)
      .replaceAll('$__range', `${toSeconds - fromSeconds}s`)
      .replaceAll('$service', '.+');
  }

  async #get<Data>(endpoint: string, parameters: Record<string, string>): Promise<Data> {
    const address = `${this.#url}/api/v1/${endpoint}?${new URLSearchParams(parameters).toString()}`;
    const response = await fetch(address).catch((error: unknown) => {
      throw new Error(
        `Expected Prometheus at ${this.#url}, got: ${String(error)}. Start it, or name it: --prometheus URL`,
      );
    });
    const body = (await response.json()) as { status: string; data: Data; error?: string };
    if (body.status !== 'success') {
      throw new Error(`Expected Prometheus to answer ${parameters.query ?? endpoint}, got: ${body.error ?? ''}`);
    }
    return body.data;
  }
}
