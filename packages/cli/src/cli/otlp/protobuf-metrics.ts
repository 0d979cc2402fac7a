import type { PbfReader } from 'pbf';

import type { Attributes } from '../../model/types.js';
import { type DecodedMetric, type DecodedPoint, explicitBuckets, temporalityOf } from './decoded.js';
import { decode, emptyAttributes, message, readKeyValue, readResource, readScopeName } from './protobuf-message.js';

/** Decodes an `ExportMetricsServiceRequest`. */
export function decodeMetrics(body: Uint8Array): DecodedMetric[] {
  return decode(body, (reader) =>
    reader.readFields((field, metrics: DecodedMetric[]) => {
      if (field === 1) readResourceMetrics(reader, metrics);
    }, []),
  );
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
