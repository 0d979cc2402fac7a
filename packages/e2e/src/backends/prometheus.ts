import { getJson } from './http.ts';

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  /** A number, or undefined where the result is a native histogram. */
  readonly value: number | undefined;
}

export interface Exemplar {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: string;
}

export interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing' | 'inactive';
}

interface QueryAnswer {
  data: { resultType: string; result: { metric: Record<string, string>; value?: [number, string] }[] };
}

interface SyntaxNode {
  readonly type: string;
  readonly name?: string;
  readonly matchers?: readonly { readonly name: string; readonly type: string; readonly value: string }[];
}

function selectorsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const nested = Object.values(node).flatMap(selectorsIn);
  const { type, matchers = [] } = node as SyntaxNode;
  if (type !== 'vectorSelector' && type !== 'matrixSelector') return nested;
  const conditions = matchers.map((matcher) => `${matcher.name}${matcher.type}${JSON.stringify(matcher.value)}`);
  return [`{${conditions.join(',')}}`, ...nested];
}

/** Prometheus' HTTP API; the base URL may have a path, as that of Mimir has. */
export class Prometheus {
  readonly url: string;

  constructor(baseUrl: string) {
    this.url = baseUrl;
  }

  /** Runs an instant query. */
  async query(expr: string): Promise<readonly Sample[]> {
    const { data } = (await this.#get('/api/v1/query', { query: expr })) as QueryAnswer;
    return data.result.map(({ metric, value }) => ({
      metric,
      value: value === undefined ? undefined : Number(value[1]),
    }));
  }

  /** Returns the sum of the values of an instant query; 0 when it has no values. */
  async sum(expr: string): Promise<number> {
    return (await this.query(expr)).reduce((sum, { value = 0 }) => sum + value, 0);
  }

  /** Returns all values of the series in a range before now, such as `1h`. */
  async valuesOf(selector: string, range: string): Promise<readonly number[]> {
    const answer = await this.#get('/api/v1/query', { query: `${selector}[${range}]` });
    const { result } = (answer as { data: { result: { values: [number, string][] }[] } }).data;
    return result.flatMap(({ values }) => values.map(([, value]) => Number(value)));
  }

  /** Returns the number of series with a sample in the last minutes, at the steps of a dashboard. */
  async rangeSeriesCount(expr: string, minutes: number): Promise<number> {
    const end = Date.now() / 1000;
    const answer = await this.#get('/api/v1/query_range', {
      query: expr,
      start: String(end - minutes * 60),
      end: String(end),
      step: '5',
    });
    return (answer as { data: { result: unknown[] } }).data.result.length;
  }

  async exemplars(expr: string): Promise<readonly Exemplar[]> {
    const end = Date.now() / 1000;
    const answer = await this.#get('/api/v1/query_exemplars', {
      query: expr,
      start: String(end - 3_600),
      end: String(end),
    });
    return (answer as { data: { exemplars: Exemplar[] }[] }).data.flatMap(({ exemplars }) => exemplars);
  }

  /** Returns every selector in an expression, such as `event_loop_lag_seconds_bucket{le="1"}`. */
  async selectorsOf(expr: string): Promise<readonly string[]> {
    const { data } = (await this.#get('/api/v1/parse_query', { query: expr })) as { data: SyntaxNode };
    return [...new Set(selectorsIn(data))];
  }

  /** Returns the state of each rule. */
  async rules(): Promise<readonly { readonly name: string; readonly health: string }[]> {
    const { data } = (await this.#get('/api/v1/rules', {})) as {
      data: { groups: { rules: { name: string; health: string }[] }[] };
    };
    return data.groups.flatMap(({ rules }) => rules);
  }

  /** Returns the rules that Prometheus could not evaluate, with the reasons. */
  async failedRules(): Promise<readonly string[]> {
    const { data } = (await this.#get('/api/v1/rules', {})) as {
      data: { groups: { rules: { name: string; health: string; lastError?: string }[] }[] };
    };
    return data.groups
      .flatMap(({ rules }) => rules)
      .filter(({ health }) => health !== 'ok')
      .map(({ name, health, lastError }) => `${name}: ${health} ${lastError ?? ''}`);
  }

  async alerts(): Promise<readonly Alert[]> {
    return ((await this.#get('/api/v1/alerts', {})) as { data: { alerts: Alert[] } }).data.alerts;
  }

  #get(path: string, parameters: Readonly<Record<string, string>>): Promise<unknown> {
    const url = new URL(this.url.replace(/\/$/, '') + path);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return getJson(url);
  }
}
