import type { AttributeValue } from '../../src/model/types.js';

/** Builders of OTLP/JSON bodies, independent of the code under test. */

export interface SpanInput {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind?: number;
  startMs: number;
  endMs: number;
  attributes?: Readonly<Record<string, AttributeValue>>;
  links?: readonly { traceId: string; spanId: string }[];
  error?: boolean;
}

export type Resource = Readonly<Record<string, AttributeValue>>;

export function tracesBody(resource: Resource, spans: readonly SpanInput[], scope = 'test'): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: scope }, spans: spans.map(spanJson) }],
      },
    ],
  };
}

export interface HistogramInput {
  startMs: number;
  endMs: number;
  boundsSeconds: readonly number[];
  counts: readonly number[];
  maxSeconds?: number;
  attributes?: Readonly<Record<string, AttributeValue>>;
}

export function histogramBody(
  resource: Resource,
  name: string,
  points: readonly HistogramInput[],
  temporality: 'delta' | 'cumulative' = 'delta',
): object {
  const dataPoints = points.map((point) => ({
    startTimeUnixNano: nanoseconds(point.startMs),
    timeUnixNano: nanoseconds(point.endMs),
    explicitBounds: point.boundsSeconds,
    bucketCounts: point.counts.map(String),
    count: String(point.counts.reduce((a, b) => a + b, 0)),
    attributes: keyValues(point.attributes ?? {}),
    ...(point.maxSeconds !== undefined && { max: point.maxSeconds }),
  }));
  const aggregationTemporality = temporality === 'delta' ? 1 : 2;
  return metricsBody(resource, [{ name, unit: 's', histogram: { aggregationTemporality, dataPoints } }]);
}

export function gaugeBody(
  resource: Resource,
  name: string,
  points: readonly { value?: number; flags?: number; attributes: Readonly<Record<string, AttributeValue>> }[],
): object {
  const dataPoints = points.map(({ value, flags, attributes }) => ({
    timeUnixNano: nanoseconds(Date.now()),
    asDouble: value,
    flags,
    attributes: keyValues(attributes),
  }));
  return metricsBody(resource, [{ name, unit: '1', gauge: { dataPoints } }]);
}

export function metricsBody(resource: Resource, metrics: readonly object[]): object {
  return {
    resourceMetrics: [
      { resource: { attributes: keyValues(resource) }, scopeMetrics: [{ scope: { name: 'test' }, metrics }] },
    ],
  };
}

function spanJson(span: SpanInput): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? '',
    name: span.name,
    kind: span.kind ?? 1,
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(span.endMs),
    attributes: keyValues(span.attributes ?? {}),
    links: span.links ?? [],
    status: span.error ? { code: 2 } : {},
  };
}

export function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

export function keyValues(attributes: Readonly<Record<string, AttributeValue>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: (value as readonly AttributeValue[]).map(anyValue) } };
  return { kvlistValue: { values: keyValues((value ?? {}) as Readonly<Record<string, AttributeValue>>) } };
}
