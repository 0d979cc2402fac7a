import { MAX_BUCKETS } from '../../model/accept/lag-point.js';
import { DecodeBudget, type DecodedMetric, MalformedBodyError, MAX_DEPTH, type SpanGroup } from './decoded.js';
import { checkShape } from './json-shape.js';
import type { Field, Message, RawMessage, Scalars } from './message.js';
import { METRICS, TRACES } from './schema.js';

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
  return decode(body, TRACES);
}

/** Decodes an `ExportMetricsServiceRequest` in JSON. */
export function decodeMetricsJson(body: string): DecodedMetric[] {
  return metricsOf(parse(body));
}

/** The metrics of an `ExportMetricsServiceRequest`, none of another request. */
export function metricsOf(body: unknown): DecodedMetric[] {
  return decode(body, METRICS);
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

function decode<T>(body: unknown, message: Message<T>): T {
  return messageOf(message, body, 'the body', new DecodeBudget(), 0);
}

function messageOf<T>(message: Message<T>, value: unknown, name: string, budget: DecodeBudget, depth: number): T {
  const json = requireObject(value, name);
  // What has no size of its own is bounded by the characters of the body: `checkShape`.
  budget.take(message.bytes ?? 0);
  if (depth > MAX_DEPTH) throw new MalformedBodyError('Expected OTLP, got values that are nested too deeply.');
  const { byName, finish } = message;
  const raw: RawMessage = {};
  let last: unknown = message.empty;
  for (const key in json) {
    const field = byName.get(key);
    const item = json[key];
    // In proto3 JSON, null is an absent field.
    if (field === undefined || item === null || item === undefined) continue;
    last = valueOf(field, item, key, budget, depth + 1);
    if (finish !== undefined) raw[key] = last;
  }
  return finish === undefined ? (last as T) : finish(raw);
}

function valueOf(field: Field, value: unknown, name: string, budget: DecodeBudget, depth: number): unknown {
  switch (field.kind) {
    case 'scalar':
      return SCALARS[field.type](value, name);
    case 'numbers':
      // One more than is kept shows that there are too many.
      return requireArray(value, name)
        .slice(0, MAX_BUCKETS + 1)
        .map((item) => numberOf(item, name));
    case 'one':
      return messageOf(field.type(), value, name, budget, depth);
    case 'many': {
      const type = field.type();
      return requireArray(value, name).map((item) => messageOf(type, item, `an entry of ${name}`, budget, depth));
    }
  }
}

const SCALARS: { readonly [K in keyof Scalars]: (value: unknown, name: string) => Scalars[K] } = {
  string: textOf,
  id: (value, name) => textOf(value, name).toLowerCase(),
  // Both are base64.
  bytes: textOf,
  bool: (value) => value === true,
  enum: numberOf,
  sint32: numberOf,
  int64: numberOf,
  uint64: numberOf,
  fixed64: numberOf,
  sfixed64: numberOf,
  double: numberOf,
};

function numberOf(value: unknown, name: string): number {
  if (typeof value === 'number') return value;
  if (value === 'NaN') return NaN;
  // proto3 JSON also allows `Infinity` and `-Infinity`, which `Number` reads.
  const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : NaN;
  if (Number.isNaN(parsed)) throw malformed(`a number as ${name}`, value);
  return parsed;
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw malformed(`a string as ${name}`, value);
  return value;
}

function requireArray(value: unknown, name: string): unknown[] {
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
