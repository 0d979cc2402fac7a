import type { AttributeValue, Attributes, SpanLink } from '../../model/types.js';
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
 * OTLP/JSON is proto3 JSON with three changes: ids are hex, enums are numbers, names are lowerCamelCase only
 * (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). 64-bit integers are strings or numbers.
 */

type Json = Readonly<Record<string, unknown>>;

/** Decodes an `ExportTraceServiceRequest` in JSON. */
export function decodeTracesJson(body: string): SpanGroup[] {
  return spanGroupsOf(parse(body));
}

/** The spans of an `ExportTraceServiceRequest`, none of another request. */
export function spanGroupsOf(body: unknown): SpanGroup[] {
  return list(requireObject(body, 'the body'), 'resourceSpans').flatMap((resourceSpans) => {
    const resource = attributes(object(resourceSpans, 'resource'));
    return list(resourceSpans, 'scopeSpans').map((scopeSpans) => ({
      resource,
      scope: text(object(scopeSpans, 'scope'), 'name'),
      spans: list(scopeSpans, 'spans').map(span),
    }));
  });
}

/** Decodes an `ExportMetricsServiceRequest` in JSON. */
export function decodeMetricsJson(body: string): DecodedMetric[] {
  return metricsOf(parse(body));
}

/** The metrics of an `ExportMetricsServiceRequest`, none of another request. */
export function metricsOf(body: unknown): DecodedMetric[] {
  return list(requireObject(body, 'the body'), 'resourceMetrics').flatMap((resourceMetrics) => {
    const resource = attributes(object(resourceMetrics, 'resource'));
    return list(resourceMetrics, 'scopeMetrics').flatMap((scopeMetrics) => {
      const scope = text(object(scopeMetrics, 'scope'), 'name');
      return list(scopeMetrics, 'metrics').map((metric) => ({ resource, scope, ...metricData(metric) }));
    });
  });
}

/** Throws unless the body is a JSON object. For logs, which are not decoded. */
export function checkJson(body: string): void {
  parse(body);
}

function parse(body: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw new MalformedBodyError('Expected OTLP as JSON, got invalid JSON.', { cause });
  }
  return requireObject(value, 'the body');
}

function span(json: Json): DecodedSpan {
  return {
    traceId: text(json, 'traceId').toLowerCase(),
    spanId: text(json, 'spanId').toLowerCase(),
    parentSpanId: text(json, 'parentSpanId').toLowerCase(),
    name: text(json, 'name'),
    kind: number(json, 'kind'),
    startMs: milliseconds(json, 'startTimeUnixNano'),
    endMs: milliseconds(json, 'endTimeUnixNano'),
    attributes: attributes(json),
    statusCode: number(object(json, 'status'), 'code'),
    links: list(json, 'links').map((link): SpanLink => ({
      traceId: text(link, 'traceId').toLowerCase(),
      spanId: text(link, 'spanId').toLowerCase(),
    })),
  };
}

function metricData(metric: Json): Pick<DecodedMetric, 'name' | 'unit' | 'temporality' | 'points'> {
  const base = { name: text(metric, 'name'), unit: text(metric, 'unit') };
  const kinds: [name: string, point: (json: Json) => DecodedPoint][] = [
    ['gauge', numberPoint],
    ['sum', numberPoint],
    ['histogram', histogramPoint],
    ['exponentialHistogram', exponentialPoint],
  ];
  for (const [kind, point] of kinds) {
    if (metric[kind] === undefined) continue;
    const data = object(metric, kind);
    return {
      ...base,
      temporality: temporalityOf(number(data, 'aggregationTemporality')),
      points: list(data, 'dataPoints').map(point),
    };
  }
  return { ...base, temporality: 'none', points: [] };
}

function pointBase(json: Json): DecodedPoint {
  return {
    attributes: attributes(json),
    startMs: milliseconds(json, 'startTimeUnixNano'),
    endMs: milliseconds(json, 'timeUnixNano'),
    ...(json.max !== undefined && { max: number(json, 'max') }),
  };
}

function numberPoint(json: Json): DecodedPoint {
  return { ...pointBase(json), value: json.asDouble === undefined ? number(json, 'asInt') : number(json, 'asDouble') };
}

function histogramPoint(json: Json): DecodedPoint {
  return { ...pointBase(json), bounds: numbers(json, 'explicitBounds'), counts: numbers(json, 'bucketCounts') };
}

function exponentialPoint(json: Json): DecodedPoint {
  const positive = object(json, 'positive');
  const buckets = {
    scale: number(json, 'scale'),
    zeroCount: number(json, 'zeroCount'),
    offset: number(positive, 'offset'),
    counts: numbers(positive, 'bucketCounts'),
  };
  return { ...pointBase(json), ...explicitBuckets(buckets) };
}

function attributes(json: Json): Attributes {
  return Object.fromEntries(
    list(json, 'attributes').map((pair) => [text(pair, 'key'), anyValue(object(pair, 'value'))]),
  );
}

function anyValue(json: Json): AttributeValue {
  if (json.stringValue !== undefined) return text(json, 'stringValue');
  if (json.boolValue !== undefined) return json.boolValue === true;
  if (json.intValue !== undefined) return number(json, 'intValue');
  if (json.doubleValue !== undefined) return number(json, 'doubleValue');
  if (json.bytesValue !== undefined) return text(json, 'bytesValue');
  if (json.arrayValue !== undefined) return list(object(json, 'arrayValue'), 'values').map(anyValue);
  if (json.kvlistValue !== undefined) {
    const pairs = list(object(json, 'kvlistValue'), 'values');
    return Object.fromEntries(pairs.map((pair) => [text(pair, 'key'), anyValue(object(pair, 'value'))]));
  }
  return null;
}

/** From nanoseconds. A double holds present epoch times with a resolution of a quarter of a microsecond: enough here. */
function milliseconds(json: Json, name: string): number {
  return number(json, name) / 1e6;
}

function number(json: Json, name: string): number {
  return toNumber(json[name] ?? 0, name);
}

function numbers(json: Json, name: string): number[] {
  return array(json, name).map((value) => toNumber(value, name));
}

function toNumber(value: unknown, name: string): number {
  if (typeof value === 'number') return value;
  if (value === 'NaN') return NaN;
  // proto3 JSON also allows `Infinity` and `-Infinity`, which `Number` reads.
  const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : NaN;
  if (Number.isNaN(parsed)) throw malformed(`a number as ${name}`, value);
  return parsed;
}

function text(json: Json, name: string): string {
  const value = json[name] ?? '';
  if (typeof value !== 'string') throw malformed(`a string as ${name}`, value);
  return value;
}

function object(json: Json, name: string): Json {
  return requireObject(json[name] ?? {}, name);
}

function list(json: Json, name: string): Json[] {
  return array(json, name).map((item) => requireObject(item, `an entry of ${name}`));
}

function array(json: Json, name: string): unknown[] {
  const value = json[name] ?? [];
  if (!Array.isArray(value)) throw malformed(`an array as ${name}`, value);
  return value;
}

function requireObject(value: unknown, name: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed(`an object as ${name}`, value);
  return value as Json;
}

function malformed(expected: string, got: unknown): MalformedBodyError {
  return new MalformedBodyError(`Expected ${expected} in OTLP/JSON, got ${JSON.stringify(got).slice(0, 80)}.`);
}
