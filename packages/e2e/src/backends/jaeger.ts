import { getJson } from './http.ts';
import { attributesOf, type AttributeValue, type OtlpKeyValue } from '../otlp-values.ts';

/** A span, as Jaeger returns it. */
export interface JaegerSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** Name of the instrumentation scope. */
  readonly scope: string;
  /** The number of the kind in OTLP: 1 internal, 2 server. */
  readonly kind: number;
  readonly startTimeMs: number;
  readonly endTimeMs: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly resource: Readonly<Record<string, AttributeValue>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind?: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status?: { code?: number };
  attributes?: OtlpKeyValue[];
  links?: { traceId: string; spanId: string }[];
}

interface TracesAnswer {
  result?: {
    resourceSpans?: {
      resource?: { attributes?: OtlpKeyValue[] };
      scopeSpans?: { scope?: { name?: string }; spans?: OtlpSpan[] }[];
    }[];
  };
}

interface LatenciesAnswer {
  metrics?: { metricPoints?: { gaugeValue?: { doubleValue?: number | string } }[] }[];
}

/** Jaeger's HTTP API: version 3, and what its Monitor tab asks for. */
export class Jaeger {
  readonly baseUrl: string;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  async services(): Promise<readonly string[]> {
    const answer = (await getJson(new URL('/api/v3/services', this.baseUrl))) as { services?: string[] };
    return answer.services ?? [];
  }

  /** Returns all spans of a trace; an empty list when Jaeger does not have the trace. */
  async trace(traceId: string): Promise<readonly JaegerSpan[]> {
    const url = new URL(`/api/v3/traces/${traceId}`, this.baseUrl);
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    if (response.status === 404) return [];
    const text = await response.text();
    if (!response.ok) throw new Error(`Expected 2xx or 404 from ${url.href}, got ${response.status}: ${text}`);
    return spansOf(JSON.parse(text) as TracesAnswer);
  }

  /** Returns all spans of the traces of the last hour in which the service has a span of that name. */
  async search(service: string, spanName?: string, limit = 1_000): Promise<readonly JaegerSpan[]> {
    const url = new URL('/api/v3/traces', this.baseUrl);
    const now = Date.now();
    url.searchParams.set('query.service_name', service);
    if (spanName !== undefined) url.searchParams.set('query.operation_name', spanName);
    url.searchParams.set('query.start_time_min', new Date(now - 3_600_000).toISOString());
    url.searchParams.set('query.start_time_max', new Date(now + 60_000).toISOString());
    url.searchParams.set('query.num_traces', String(limit));
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    if (response.status === 404) return [];
    const text = await response.text();
    if (!response.ok) throw new Error(`Expected 2xx or 404 from ${url.href}, got ${response.status}: ${text}`);
    return spansOf(JSON.parse(text) as TracesAnswer);
  }

  /** Returns the spans of that name of the last hour. */
  async spansNamed(service: string, spanName: string): Promise<readonly JaegerSpan[]> {
    return (await this.search(service, spanName)).filter(({ name }) => name === spanName);
  }

  /**
   * Returns the points of a latency line of the Monitor tab, for server spans of the last ten minutes. The page shows
   * each as a number of milliseconds. NaN: no request at that time.
   */
  async latencies(service: string, quantile: number): Promise<readonly number[]> {
    const url = new URL('/api/metrics/latencies', this.baseUrl);
    const parameters = { service, spanKind: 'server', lookback: '600000', step: '5000', ratePer: '60000' };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    url.searchParams.set('quantile', String(quantile));
    const { metrics = [] } = (await getJson(url)) as LatenciesAnswer;
    return metrics.flatMap(({ metricPoints = [] }) =>
      metricPoints.map(({ gaugeValue }) => Number(gaugeValue?.doubleValue)),
    );
  }
}

function spansOf(answer: TracesAnswer): JaegerSpan[] {
  return (answer.result?.resourceSpans ?? []).flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans.flatMap(({ scope, spans = [] }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        scope: scope?.name ?? '',
        kind: span.kind ?? 0,
        startTimeMs: Number(BigInt(span.startTimeUnixNano)) / 1e6,
        endTimeMs: Number(BigInt(span.endTimeUnixNano)) / 1e6,
        isError: span.status?.code === 2,
        attributes: attributesOf(span.attributes),
        resource: attributesOf(resource?.attributes),
        links: span.links ?? [],
      })),
    ),
  );
}
