import type { Attributes, AttributeValue, SpanLink } from '../../model/types.js';
import {
  type DecodedMetric,
  type DecodedPoint,
  type DecodedSpan,
  ENTRY_BYTES,
  explicitBuckets,
  POINT_BYTES,
  SPAN_BYTES,
  type SpanGroup,
  temporalityOf,
} from './decoded.js';
import { field, many, type Message, message, numbers, one, oneOf } from './message.js';

/*
 * The fields of OTLP that Loopwatch uses, from the whole request down to a value. Names and numbers are those of
 * opentelemetry-proto 1.x (trace/v1/trace.proto, metrics/v1/metrics.proto, common/v1/common.proto).
 */

type Metric = Omit<DecodedMetric, 'resource' | 'scope'>;
type MetricData = Pick<Metric, 'temporality' | 'points'>;
type KeyValue = readonly [key: string, value: AttributeValue];

/** `ExportTraceServiceRequest` */
export const TRACES: Message<SpanGroup[]> = message(
  { resourceSpans: many(1, () => RESOURCE_SPANS) },
  ({ resourceSpans = [] }) => resourceSpans.flat(),
);

const RESOURCE_SPANS: Message<SpanGroup[]> = message(
  { resource: one(1, () => RESOURCE), scopeSpans: many(2, () => SCOPE_SPANS) },
  ({ resource = attributesOf(), scopeSpans = [] }) => scopeSpans.map((group) => ({ resource, ...group })),
);

const SCOPE_SPANS: Message<Omit<SpanGroup, 'resource'>> = message(
  { scope: one(1, () => SCOPE), spans: many(2, () => SPAN) },
  ({ scope = '', spans = [] }) => ({ scope, spans }),
);

const SPAN: Message<DecodedSpan> = message(
  {
    traceId: field(1, 'id'),
    spanId: field(2, 'id'),
    parentSpanId: field(4, 'id'),
    name: field(5, 'string'),
    kind: field(6, 'enum'),
    startTimeUnixNano: field(7, 'fixed64'),
    endTimeUnixNano: field(8, 'fixed64'),
    attributes: many(9, () => KEY_VALUE),
    links: many(13, () => LINK),
    status: one(15, () => STATUS),
  },
  (raw) => ({
    traceId: raw.traceId ?? '',
    spanId: raw.spanId ?? '',
    parentSpanId: raw.parentSpanId ?? '',
    name: raw.name ?? '',
    kind: raw.kind ?? 0,
    startMs: milliseconds(raw.startTimeUnixNano),
    endMs: milliseconds(raw.endTimeUnixNano),
    attributes: attributesOf(raw.attributes),
    statusCode: raw.status ?? 0,
    links: raw.links ?? [],
  }),
  SPAN_BYTES,
);

const LINK: Message<SpanLink> = message(
  { traceId: field(1, 'id'), spanId: field(2, 'id') },
  ({ traceId = '', spanId = '' }) => ({ traceId, spanId }),
  ENTRY_BYTES,
);

const STATUS: Message<number> = oneOf({ code: field(3, 'enum') }, 0);

/** `ExportMetricsServiceRequest` */
export const METRICS: Message<DecodedMetric[]> = message(
  { resourceMetrics: many(1, () => RESOURCE_METRICS) },
  ({ resourceMetrics = [] }) => resourceMetrics.flat(),
);

const RESOURCE_METRICS: Message<DecodedMetric[]> = message(
  { resource: one(1, () => RESOURCE), scopeMetrics: many(2, () => SCOPE_METRICS) },
  ({ resource = attributesOf(), scopeMetrics = [] }) => scopeMetrics.flat().map((metric) => ({ resource, ...metric })),
);

const SCOPE_METRICS: Message<Omit<DecodedMetric, 'resource'>[]> = message(
  { scope: one(1, () => SCOPE), metrics: many(2, () => METRIC) },
  ({ scope = '', metrics = [] }) => metrics.map((metric) => ({ scope, ...metric })),
);

const METRIC: Message<Metric> = message(
  {
    name: field(1, 'string'),
    unit: field(3, 'string'),
    gauge: one(5, () => NUMBERS),
    sum: one(7, () => NUMBERS),
    histogram: one(9, () => HISTOGRAM),
    exponentialHistogram: one(10, () => EXPONENTIAL_HISTOGRAM),
  },
  ({ name = '', unit = '', gauge, sum, histogram, exponentialHistogram }) => ({
    name,
    unit,
    ...(gauge ?? sum ?? histogram ?? exponentialHistogram ?? { temporality: 'none', points: [] }),
  }),
  POINT_BYTES,
);

/** `Gauge` or `Sum`; the former has no temporality. */
const NUMBERS = dataOf(() => NUMBER_POINT);
const HISTOGRAM = dataOf(() => HISTOGRAM_POINT);
const EXPONENTIAL_HISTOGRAM = dataOf(() => EXPONENTIAL_POINT);

function dataOf(point: () => Message<DecodedPoint>): Message<MetricData> {
  return message(
    { dataPoints: many(1, point), aggregationTemporality: field(2, 'enum') },
    ({ dataPoints = [], aggregationTemporality = 0 }) => ({
      temporality: temporalityOf(aggregationTemporality),
      points: dataPoints,
    }),
  );
}

const NUMBER_POINT: Message<DecodedPoint> = message(
  {
    startTimeUnixNano: field(2, 'fixed64'),
    timeUnixNano: field(3, 'fixed64'),
    asDouble: field(4, 'double'),
    asInt: field(6, 'sfixed64'),
    attributes: many(7, () => KEY_VALUE),
  },
  (raw) => withDefined(pointOf(raw), 'value', raw.asDouble ?? raw.asInt),
  POINT_BYTES,
);

const HISTOGRAM_POINT: Message<DecodedPoint> = message(
  {
    startTimeUnixNano: field(2, 'fixed64'),
    timeUnixNano: field(3, 'fixed64'),
    bucketCounts: numbers(6, 'fixed64'),
    explicitBounds: numbers(7, 'double'),
    attributes: many(9, () => KEY_VALUE),
    max: field(12, 'double'),
  },
  (raw) => {
    const { explicitBounds: bounds = [], bucketCounts: counts = [], max } = raw;
    return withDefined({ ...pointOf(raw), bounds, counts }, 'max', max);
  },
  POINT_BYTES,
);

const EXPONENTIAL_POINT: Message<DecodedPoint> = message(
  {
    attributes: many(1, () => KEY_VALUE),
    startTimeUnixNano: field(2, 'fixed64'),
    timeUnixNano: field(3, 'fixed64'),
    scale: field(6, 'sint32'),
    zeroCount: field(7, 'fixed64'),
    positive: one(8, () => BUCKETS),
    max: field(13, 'double'),
  },
  (raw) => {
    const { scale = 0, zeroCount = 0, positive = { offset: 0, counts: [] }, max } = raw;
    return withDefined({ ...pointOf(raw), ...explicitBuckets({ scale, zeroCount, ...positive }) }, 'max', max);
  },
  POINT_BYTES,
);

const BUCKETS: Message<{ offset: number; counts: number[] }> = message(
  { offset: field(1, 'sint32'), bucketCounts: numbers(2, 'uint64') },
  ({ offset = 0, bucketCounts = [] }) => ({ offset, counts: bucketCounts }),
);

const RESOURCE: Message<Attributes> = message({ attributes: many(1, () => KEY_VALUE) }, ({ attributes }) =>
  attributesOf(attributes),
);

const SCOPE: Message<string> = oneOf({ name: field(1, 'string') }, '');

const KEY_VALUE: Message<KeyValue> = message(
  { key: field(1, 'string'), value: one(2, () => ANY_VALUE) },
  ({ key = '', value = null }) => [key, value],
);

const ANY_VALUE: Message<AttributeValue> = oneOf<AttributeValue>(
  {
    stringValue: field(1, 'string'),
    boolValue: field(2, 'bool'),
    intValue: field(3, 'int64'),
    doubleValue: field(4, 'double'),
    arrayValue: one(5, () => ARRAY_VALUE),
    kvlistValue: one(6, () => KEY_VALUE_LIST),
    bytesValue: field(7, 'bytes'),
  },
  null,
  ENTRY_BYTES,
);

const ARRAY_VALUE: Message<AttributeValue[]> = message(
  { values: many(1, () => ANY_VALUE) },
  ({ values = [] }) => values,
);

const KEY_VALUE_LIST: Message<Attributes> = message({ values: many(1, () => KEY_VALUE) }, ({ values }) =>
  attributesOf(values),
);

function pointOf(raw: {
  readonly attributes?: readonly KeyValue[] | undefined;
  readonly startTimeUnixNano?: number | undefined;
  readonly timeUnixNano?: number | undefined;
}): DecodedPoint {
  return {
    attributes: attributesOf(raw.attributes),
    startMs: milliseconds(raw.startTimeUnixNano),
    endMs: milliseconds(raw.timeUnixNano),
  };
}

function withDefined(point: DecodedPoint, key: 'value' | 'max', value: number | undefined): DecodedPoint {
  if (value !== undefined) point[key] = value;
  return point;
}

/** Without a prototype: an attribute may be named `__proto__`. */
function attributesOf(pairs: readonly KeyValue[] = []): Attributes {
  const attributes = Object.create(null) as Record<string, AttributeValue>;
  for (const [key, value] of pairs) attributes[key] = value;
  return attributes;
}

/** A double holds present epoch times in nanoseconds with a resolution of a quarter of a microsecond: enough here. */
function milliseconds(nanoseconds = 0): number {
  return nanoseconds / 1e6;
}
