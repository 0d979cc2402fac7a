import { PbfReader } from 'pbf';

import type { AttributeValue, Attributes } from '../../model/types.js';
import {
  type DecodedMetric,
  type DecodedPoint,
  type DecodedSpan,
  explicitBuckets,
  MalformedBodyError,
  type SpanGroup,
  temporalityOf,
} from './decoded.js';

/*
 * Field numbers are those of opentelemetry-proto 1.x (trace/v1/trace.proto, metrics/v1/metrics.proto, common/v1/common.proto).
 * Fields that Loopwatch does not use are skipped without being decoded, which is what keeps the receiver ahead of a
 * busy exporter.
 */

type MutableAttributes = Record<string, AttributeValue>;

/** Decodes an `ExportTraceServiceRequest`. */
export function decodeTraces(body: Uint8Array): SpanGroup[] {
  return decode(body, (reader) =>
    reader.readFields((field, groups: SpanGroup[]) => {
      if (field === 1) readResourceSpans(reader, groups);
    }, []),
  );
}

/** Decodes an `ExportMetricsServiceRequest`. */
export function decodeMetrics(body: Uint8Array): DecodedMetric[] {
  return decode(body, (reader) =>
    reader.readFields((field, metrics: DecodedMetric[]) => {
      if (field === 1) readResourceMetrics(reader, metrics);
    }, []),
  );
}

function decode<T>(body: Uint8Array, read: (reader: PbfReader) => T): T {
  const reader = new PbfReader(body);
  try {
    const result = read(reader);
    if (reader.pos === body.length) return result;
  } catch (cause) {
    throw new MalformedBodyError('Expected OTLP as protobuf, got bytes that are none.', { cause });
  }
  throw new MalformedBodyError('Expected OTLP as protobuf, got a body that is cut off.');
}

/** Reads the message at hand; one that claims to be longer than what holds it is malformed. */
function message<T>(reader: PbfReader, target: T, read: (field: number, target: T) => void): T {
  const end = endOfMessage(reader);
  reader.readFields(
    (field, result: T) => {
      read(field, result);
    },
    target,
    end,
  );
  if (reader.pos !== end) throw new MalformedBodyError('A field runs over the end of its message.');
  return target;
}

function endOfMessage(reader: PbfReader): number {
  const length = reader.readVarint();
  const end = reader.pos + length;
  if (end > reader.length) throw new MalformedBodyError('A message runs over the end of the body.');
  return end;
}

function readResourceSpans(reader: PbfReader, groups: SpanGroup[]): void {
  const resource = emptyAttributes();
  message(reader, groups, (field) => {
    if (field === 1) readResource(reader, resource);
    else if (field === 2) groups.push(readScopeSpans(reader, resource));
  });
}

function readResource(reader: PbfReader, attributes: MutableAttributes): void {
  message(reader, attributes, (field) => {
    if (field === 1) readKeyValue(reader, attributes);
  });
}

function readScopeSpans(reader: PbfReader, resource: Attributes): SpanGroup {
  const empty: SpanGroup = { resource, scope: '', spans: [] };
  return message(reader, empty, (field, group) => {
    if (field === 1) group.scope = readScopeName(reader);
    else if (field === 2) group.spans.push(readSpan(reader));
  });
}

function readScopeName(reader: PbfReader): string {
  return message(reader, { name: '' }, (field, scope) => {
    if (field === 1) scope.name = reader.readString();
  }).name;
}

function readSpan(reader: PbfReader): DecodedSpan {
  const attributes = emptyAttributes();
  const span: DecodedSpan = {
    traceId: '',
    spanId: '',
    parentSpanId: '',
    name: '',
    kind: 0,
    startMs: 0,
    endMs: 0,
    attributes,
    statusCode: 0,
    links: [],
  };
  return message(reader, span, (field) => {
    if (field === 1) span.traceId = hex(reader.readBytes());
    else if (field === 2) span.spanId = hex(reader.readBytes());
    else if (field === 4) span.parentSpanId = hex(reader.readBytes());
    else if (field === 5) span.name = reader.readString();
    else if (field === 6) span.kind = reader.readVarint();
    else if (field === 7) span.startMs = reader.readFixed64() / 1e6;
    else if (field === 8) span.endMs = reader.readFixed64() / 1e6;
    else if (field === 9) readKeyValue(reader, attributes);
    else if (field === 13) span.links.push(readLink(reader));
    else if (field === 15) span.statusCode = readStatusCode(reader);
  });
}

function readLink(reader: PbfReader): { traceId: string; spanId: string } {
  return message(reader, { traceId: '', spanId: '' }, (field, link) => {
    if (field === 1) link.traceId = hex(reader.readBytes());
    else if (field === 2) link.spanId = hex(reader.readBytes());
  });
}

function readStatusCode(reader: PbfReader): number {
  return message(reader, { code: 0 }, (field, status) => {
    if (field === 3) status.code = reader.readVarint();
  }).code;
}

function readKeyValue(reader: PbfReader, attributes: MutableAttributes): void {
  const pair = message(reader, { key: '', value: null as AttributeValue }, (field, target) => {
    if (field === 1) target.key = reader.readString();
    else if (field === 2) target.value = readAnyValue(reader);
  });
  attributes[pair.key] = pair.value;
}

function readAnyValue(reader: PbfReader): AttributeValue {
  return message(reader, { value: null as AttributeValue }, (field, any) => {
    if (field === 1) any.value = reader.readString();
    else if (field === 2) any.value = reader.readBoolean();
    else if (field === 3) any.value = reader.readVarint(true);
    else if (field === 4) any.value = reader.readDouble();
    else if (field === 5) any.value = readArray(reader);
    else if (field === 6) any.value = readKeyValueList(reader);
    else if (field === 7) any.value = Buffer.from(reader.readBytes()).toString('base64');
  }).value;
}

function readArray(reader: PbfReader): AttributeValue[] {
  return message(reader, [] as AttributeValue[], (field, values) => {
    if (field === 1) values.push(readAnyValue(reader));
  });
}

function readKeyValueList(reader: PbfReader): Attributes {
  return message(reader, emptyAttributes(), (field, attributes) => {
    if (field === 1) readKeyValue(reader, attributes);
  });
}

function readResourceMetrics(reader: PbfReader, metrics: DecodedMetric[]): void {
  const resource = emptyAttributes();
  message(reader, metrics, (field) => {
    if (field === 1) readResource(reader, resource);
    else if (field === 2) readScopeMetrics(reader, resource, metrics);
  });
}

function readScopeMetrics(reader: PbfReader, resource: Attributes, metrics: DecodedMetric[]): void {
  const own: DecodedMetric[] = [];
  let scope = '';
  message(reader, own, (field) => {
    if (field === 1) scope = readScopeName(reader);
    else if (field === 2) own.push(readMetric(reader, resource));
  });
  for (const metric of own) metrics.push({ ...metric, scope });
}

function readMetric(reader: PbfReader, resource: Attributes): DecodedMetric {
  const empty: DecodedMetric = { resource, scope: '', name: '', unit: '', temporality: 'none', points: [] };
  return message(reader, empty, (field, metric) => {
    if (field === 1) metric.name = reader.readString();
    else if (field === 3) metric.unit = reader.readString();
    else if (field === 5 || field === 7) readData(reader, metric, readNumberPoint);
    else if (field === 9) readData(reader, metric, readHistogramPoint);
    else if (field === 10) readData(reader, metric, readExponentialPoint);
  });
}

function readData(reader: PbfReader, metric: DecodedMetric, readPoint: (reader: PbfReader) => DecodedPoint): void {
  message(reader, metric, (field) => {
    if (field === 1) metric.points.push(readPoint(reader));
    else if (field === 2) metric.temporality = temporalityOf(reader.readVarint());
  });
}

function readNumberPoint(reader: PbfReader): DecodedPoint {
  const attributes = emptyAttributes();
  const empty: DecodedPoint = { attributes, startMs: 0, endMs: 0 };
  return message(reader, empty, (field, point) => {
    if (field === 2) point.startMs = reader.readFixed64() / 1e6;
    else if (field === 3) point.endMs = reader.readFixed64() / 1e6;
    else if (field === 4) point.value = reader.readDouble();
    else if (field === 6) point.value = reader.readSFixed64();
    else if (field === 7) readKeyValue(reader, attributes);
  });
}

function readHistogramPoint(reader: PbfReader): DecodedPoint {
  const attributes = emptyAttributes();
  const empty: DecodedPoint = { attributes, startMs: 0, endMs: 0, bounds: [], counts: [] };
  return message(reader, empty, (field, point) => {
    if (field === 2) point.startMs = reader.readFixed64() / 1e6;
    else if (field === 3) point.endMs = reader.readFixed64() / 1e6;
    else if (field === 6) point.counts = reader.readPackedFixed64(point.counts);
    else if (field === 7) point.bounds = reader.readPackedDouble(point.bounds);
    else if (field === 9) readKeyValue(reader, attributes);
    else if (field === 12) point.max = reader.readDouble();
  });
}

function readExponentialPoint(reader: PbfReader): DecodedPoint {
  const attributes = emptyAttributes();
  const buckets = { scale: 0, zeroCount: 0, offset: 0, counts: [] as number[] };
  const empty: DecodedPoint = { attributes, startMs: 0, endMs: 0 };
  const point = message(reader, empty, (field, target) => {
    if (field === 1) readKeyValue(reader, attributes);
    else if (field === 2) target.startMs = reader.readFixed64() / 1e6;
    else if (field === 3) target.endMs = reader.readFixed64() / 1e6;
    else if (field === 6) buckets.scale = reader.readSVarint();
    else if (field === 7) buckets.zeroCount = reader.readFixed64();
    else if (field === 8) readPositiveBuckets(reader, buckets);
    else if (field === 13) target.max = reader.readDouble();
  });
  return { ...point, ...explicitBuckets(buckets) };
}

function readPositiveBuckets(reader: PbfReader, buckets: { offset: number; counts: number[] }): void {
  message(reader, buckets, (field, target) => {
    if (field === 1) target.offset = reader.readSVarint();
    else if (field === 2) target.counts = reader.readPackedVarint(target.counts);
  });
}

/** Without a prototype: an attribute may be called `__proto__`. */
function emptyAttributes(): MutableAttributes {
  return Object.create(null) as MutableAttributes;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
