import { MAX_BUCKETS } from '../../model/accept/lag-point.js';
import type { AttributeValue, Attributes, SpanLink } from '../../model/types.js';
import {
  DecodeBudget,
  type DecodedMetric,
  type DecodedPoint,
  type DecodedSpan,
  ENTRY_BYTES,
  explicitBuckets,
  MalformedBodyError,
  MAX_DEPTH,
  POINT_BYTES,
  SPAN_BYTES,
  type SpanGroup,
  temporalityOf,
} from './decoded.js';
import { checkShape } from './json-shape.js';

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
  const budget = new DecodeBudget();
  return list(requireObject(body, 'the body'), 'resourceSpans').flatMap((resourceSpans) => {
    const resource = attributes(object(resourceSpans, 'resource'), budget);
    return list(resourceSpans, 'scopeSpans').map((scopeSpans) => ({
      resource,
      scope: text(object(scopeSpans, 'scope'), 'name'),
      spans: list(scopeSpans, 'spans').map((json) => span(json, budget)),
    }));
  });
}

/** Decodes an `ExportMetricsServiceRequest` in JSON. */
export function decodeMetricsJson(body: string): DecodedMetric[] {
  return metricsOf(parse(body));
}

/** The metrics of an `ExportMetricsServiceRequest`, none of another request. */
export function metricsOf(body: unknown): DecodedMetric[] {
  const budget = new DecodeBudget();
  return list(requireObject(body, 'the body'), 'resourceMetrics').flatMap((resourceMetrics) => {
    const resource = attributes(object(resourceMetrics, 'resource'), budget);
    return list(resourceMetrics, 'scopeMetrics').flatMap((scopeMetrics) => {
      const scope = text(object(scopeMetrics, 'scope'), 'name');
      return list(scopeMetrics, 'metrics').map((metric) => ({ resource, scope, ...metricData(metric, budget) }));
    });
  });
}

/** Throws unless the body is a JSON object. For logs, which are not decoded. */
export function checkJson(body: string): void {
  parse(body);
}

function parse(body: string): Json {
  checkShape(body);
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw new MalformedBodyError('Expected OTLP as JSON, got invalid JSON.', { cause });
  }
  return requireObject(value, 'the body');
}

function span(json: Json, budget: DecodeBudget): DecodedSpan {
  budget.take(SPAN_BYTES);
  return {
    traceId: text(json, 'traceId').toLowerCase(),
    spanId: text(json, 'spanId').toLowerCase(),
    parentSpanId: text(json, 'parentSpanId').toLowerCase(),
    name: text(json, 'name'),
    kind: number(json, 'kind'),
    startMs: milliseconds(json, 'startTimeUnixNano'),
    endMs: milliseconds(json, 'endTimeUnixNano'),
    attributes: attributes(json, budget),
    statusCode: number(object(json, 'status'), 'code'),
    links: list(json, 'links').map((link): SpanLink => {
      budget.take(ENTRY_BYTES);
      return { traceId: text(link, 'traceId').toLowerCase(), spanId: text(link, 'spanId').toLowerCase() };
    }),
  };
}

function metricData(
  metric: Json,
  budget: DecodeBudget,
): Pick<DecodedMetric, 'name' | 'unit' | 'temporality' | 'points'> {
  budget.take(POINT_BYTES);
  const base = { name: text(metric, 'name'), unit: text(metric, 'unit') };
  const kinds: [name: string, point: (json: Json, budget: DecodeBudget) => DecodedPoint][] = [
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
      points: list(data, 'dataPoints').map((json) => point(json, budget)),
    };
  }
  return { ...base, temporality: 'none', points: [] };
}

function pointBase(json: Json, budget: DecodeBudget): DecodedPoint {
  budget.take(POINT_BYTES);
  return {
    attributes: attributes(json, budget),
    startMs: milliseconds(json, 'startTimeUnixNano'),
    endMs: milliseconds(json, 'timeUnixNano'),
    ...(json.max !== undefined && { max: number(json, 'max') }),
  };
}

function numberPoint(json: Json, budget: DecodeBudget): DecodedPoint {
  return {
    ...pointBase(json, budget),
    value: json.asDouble === undefined ? number(json, 'asInt') : number(json, 'asDouble'),
  };
}

function histogramPoint(json: Json, budget: DecodeBudget): DecodedPoint {
  return { ...pointBase(json, budget), bounds: numbers(json, 'explicitBounds'), counts: numbers(json, 'bucketCounts') };
}

function exponentialPoint(json: Json, budget: DecodeBudget): DecodedPoint {
  const positive = object(json, 'positive');
  const buckets = {
    scale: number(json, 'scale'),
    zeroCount: number(json, 'zeroCount'),
    offset: number(positive, 'offset'),
    counts: numbers(positive, 'bucketCounts'),
  };
  return { ...pointBase(json, budget), ...explicitBuckets(buckets) };
}

function attributes(json: Json, budget: DecodeBudget): Attributes {
  return keyValues(list(json, 'attributes'), budget, 0);
}

function keyValues(pairs: readonly Json[], budget: DecodeBudget, depth: number): Attributes {
  return Object.fromEntries(
    pairs.map((pair) => [text(pair, 'key'), anyValue(object(pair, 'value'), budget, depth + 1)]),
  );
}

function anyValue(json: Json, budget: DecodeBudget, depth: number): AttributeValue {
  budget.take(ENTRY_BYTES);
  if (depth > MAX_DEPTH) throw new MalformedBodyError('Expected OTLP, got values that are nested too deeply.');
  if (json.stringValue !== undefined) return text(json, 'stringValue');
  if (json.boolValue !== undefined) return json.boolValue === true;
  if (json.intValue !== undefined) return number(json, 'intValue');
  if (json.doubleValue !== undefined) return number(json, 'doubleValue');
  if (json.bytesValue !== undefined) return text(json, 'bytesValue');
  if (json.arrayValue !== undefined) {
    return list(object(json, 'arrayValue'), 'values').map((item) => anyValue(item, budget, depth + 1));
  }
  if (json.kvlistValue !== undefined) {
    return keyValues(list(object(json, 'kvlistValue'), 'values'), budget, depth);
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
  // One more than is kept shows that there are too many.
  return array(json, name)
    .slice(0, MAX_BUCKETS + 1)
    .map((value) => toNumber(value, name));
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
  return new MalformedBodyError(`Expected ${expected} in OTLP/JSON, got ${shown(got)}.`);
}

/** Of an object or list only what it is: it may have 20 MB. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
