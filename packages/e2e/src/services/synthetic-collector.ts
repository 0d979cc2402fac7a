import { keyValues } from '../otlp-values.ts';

type Attributes = Readonly<Record<string, string>>;

interface Series {
  readonly name: string;
  readonly unit: string;
  readonly isCounter: boolean;
  readonly attributes: Attributes;
  value: number;
}

/** Flag of OTLP: the series has ended. */
const NO_RECORDED_VALUE = 1;

/** Sends metrics about itself to Prometheus, as the collector does, with the values that a test sets. */
export class SyntheticCollector {
  readonly #prometheusUrl: string;
  readonly #service: string;
  readonly #instanceId: string;
  readonly #startTimeMs = Date.now();
  readonly #series = new Map<string, Series>();

  constructor(prometheusUrl: string, service: string, instanceId: string) {
    this.#prometheusUrl = prometheusUrl;
    this.#service = service;
    this.#instanceId = instanceId;
  }

  get isNew(): boolean {
    return this.#series.size === 0;
  }

  setGauge(name: string, value: number, attributes: Attributes = {}): void {
    this.#seriesOf(name, '', false, attributes).value = value;
  }

  /** Adds to a counter, which becomes `<name>_total`. */
  add(name: string, value: number, attributes: Attributes = {}, unit = ''): void {
    this.#seriesOf(name, unit, true, attributes).value += value;
  }

  async export(): Promise<void> {
    await this.#post([...this.#series.values()].map((series) => this.#metric(series, 0)));
  }

  /** Ends a series at once, which otherwise lasts for five minutes after its last value. */
  async end(name: string): Promise<void> {
    const ended = [...this.#series].filter(([, series]) => series.name === name);
    for (const [key] of ended) this.#series.delete(key);
    await this.#post(ended.map(([, series]) => this.#metric(series, NO_RECORDED_VALUE)));
  }

  #seriesOf(name: string, unit: string, isCounter: boolean, attributes: Attributes): Series {
    const key = JSON.stringify([name, attributes]);
    const series = this.#series.get(key) ?? { name, unit, isCounter, attributes, value: 0 };
    this.#series.set(key, series);
    return series;
  }

  #metric({ name, unit, isCounter, attributes, value }: Series, flags: number): object {
    const nanos = (epochMs: number): string => `${epochMs}000000`;
    const point = {
      attributes: keyValues(attributes),
      startTimeUnixNano: nanos(this.#startTimeMs),
      timeUnixNano: nanos(Date.now()),
      ...(flags === 0 ? { asDouble: value } : {}),
      flags,
    };
    const sum = { aggregationTemporality: 2, isMonotonic: true, dataPoints: [point] };
    return { name, unit, ...(isCounter ? { sum } : { gauge: { dataPoints: [point] } }) };
  }

  async #post(metrics: readonly object[]): Promise<void> {
    const attributes = keyValues({ 'service.name': this.#service, 'service.instance.id': this.#instanceId });
    const scopeMetrics = [{ scope: { name: 'synthetic-collector' }, metrics }];
    const response = await fetch(`${this.#prometheusUrl}/api/v1/otlp/v1/metrics`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ resourceMetrics: [{ resource: { attributes }, scopeMetrics }] }),
      signal: AbortSignal.timeout(10_000),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`Expected Prometheus to accept metrics, got ${response.status}: ${answer}`);
  }
}
