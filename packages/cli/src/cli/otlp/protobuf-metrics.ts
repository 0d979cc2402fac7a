import type { Attributes } from '../../model/types.js';
import { type DecodedMetric, type DecodedPoint, explicitBuckets, POINT_BYTES, temporalityOf } from './decoded.js';
import {
  decode,
  emptyAttributes,
  type OtlpReader,
  readKeyValue,
  readResource,
  readScopeName,
} from './protobuf-message.js';

/** Decodes an `ExportMetricsServiceRequest`. */
export function decodeMetrics(body: Uint8Array): DecodedMetric[] {
  return decode(body, (reader) =>
    reader.readFields((field, metrics: DecodedMetric[]) => {
      if (field === 1) readResourceMetrics(reader, metrics);
    }, []),
  );
}

function readResourceMetrics(reader: OtlpReader, metrics: DecodedMetric[]): void {
  const resource = emptyAttributes();
  reader.message(metrics, (field) => {
    if (field === 1) readResource(reader, resource);
    else if (field === 2) readScopeMetrics(reader, resource, metrics);
  });
}

function readScopeMetrics(reader: OtlpReader, resource: Attributes, metrics: DecodedMetric[]): void {
  const own: DecodedMetric[] = [];
  let scope = '';
  reader.message(own, (field) => {
    if (field === 1) scope = readScopeName(reader);
    else if (field === 2) own.push(readMetric(reader, resource));
  });
  for (const metric of own) metrics.push({ ...metric, scope });
}

function readMetric(reader: OtlpReader, resource: Attributes): DecodedMetric {
  reader.budget.take(POINT_BYTES);
  const empty: DecodedMetric = { resource, scope: '', name: '', unit: '', temporality: 'none', points: [] };
  return reader.message(empty, (field, metric) => {
    if (field === 1) metric.name = reader.text();
    else if (field === 3) metric.unit = reader.text();
    else if (field === 5 || field === 7) readData(reader, metric, readNumberPoint);
    else if (field === 9) readData(reader, metric, readHistogramPoint);
    else if (field === 10) readData(reader, metric, readExponentialPoint);
  });
}

function readData(reader: OtlpReader, metric: DecodedMetric, readPoint: (reader: OtlpReader) => DecodedPoint): void {
  reader.message(metric, (field) => {
    if (field === 1) {
      reader.budget.take(POINT_BYTES);
      metric.points.push(readPoint(reader));
    }
    if (field === 2) metric.temporality = temporalityOf(reader.readVarint());
  });
}

function readNumberPoint(reader: OtlpReader): DecodedPoint {
  const attributes = emptyAttributes();
  const empty: DecodedPoint = { attributes, startMs: 0, endMs: 0 };
  return reader.message(empty, (field, point) => {
    if (field === 2) point.startMs = reader.readFixed64() / 1e6;
    else if (field === 3) point.endMs = reader.readFixed64() / 1e6;
    else if (field === 4) point.value = reader.readDouble();
    else if (field === 6) point.value = reader.readSFixed64();
    else if (field === 7) readKeyValue(reader, attributes);
  });
}

function readHistogramPoint(reader: OtlpReader): DecodedPoint {
  const attributes = emptyAttributes();
  const bounds: number[] = [];
  const counts: number[] = [];
  const empty: DecodedPoint = { attributes, startMs: 0, endMs: 0, bounds, counts };
  return reader.message(empty, (field, point) => {
    if (field === 2) point.startMs = reader.readFixed64() / 1e6;
    else if (field === 3) point.endMs = reader.readFixed64() / 1e6;
    else if (field === 6) reader.numbers(counts, () => reader.readFixed64());
    else if (field === 7) reader.numbers(bounds, () => reader.readDouble());
    else if (field === 9) readKeyValue(reader, attributes);
    else if (field === 12) point.max = reader.readDouble();
  });
}

function readExponentialPoint(reader: OtlpReader): DecodedPoint {
  const attributes = emptyAttributes();
  const buckets = { scale: 0, zeroCount: 0, offset: 0, counts: [] as number[] };
  const empty: DecodedPoint = { attributes, startMs: 0, endMs: 0 };
  const point = reader.message(empty, (field, target) => {
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

function readPositiveBuckets(reader: OtlpReader, buckets: { offset: number; counts: number[] }): void {
  reader.message(buckets, (field, target) => {
    if (field === 1) target.offset = reader.readSVarint();
    else if (field === 2) reader.numbers(target.counts, () => reader.readVarint());
  });
}
