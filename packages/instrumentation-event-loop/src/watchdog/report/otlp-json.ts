import type { PlainAttributes, SpanIds } from '../../contract/hang-report.js';
import { METRIC_EVENT_LOOP_STALLED, SCOPE_NAME, SPAN_EVENT_LOOP_HANG } from '../../semconv.js';
import { PACKAGE_VERSION } from '../../version.js';

/**
 * The part of OTLP's JSON encoding that two messages need:
 * https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */

const SPAN_KIND_INTERNAL = 1;
const FLAG_SAMPLED = 1;
const FLAG_NO_RECORDED_VALUE = 1;

export interface HangSpan {
  readonly ids: SpanIds;
  readonly parentSpanId: string | undefined;
  readonly links: readonly SpanIds[];
  readonly startEpochMs: number;
  readonly endEpochMs: number;
  readonly attributes: PlainAttributes;
}

export function hangRequest(resource: PlainAttributes, span: HangSpan): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [
          {
            scope: { name: SCOPE_NAME, version: PACKAGE_VERSION },
            spans: [
              {
                traceId: span.ids.traceId,
                spanId: span.ids.spanId,
                ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
                flags: FLAG_SAMPLED,
                name: SPAN_EVENT_LOOP_HANG,
                kind: SPAN_KIND_INTERNAL,
                startTimeUnixNano: nanos(span.startEpochMs),
                endTimeUnixNano: nanos(span.endEpochMs),
                attributes: keyValues(span.attributes),
                links: span.links.map(({ traceId, spanId }) => ({ traceId, spanId })),
                status: {},
              },
            ],
          },
        ],
      },
    ],
  });
}

/** Without `seconds`: no value follows the last one. */
export function stalledRequest(
  resource: PlainAttributes,
  seconds: number | undefined,
  epochMs: number,
  attributes: PlainAttributes,
): string {
  const value = seconds === undefined ? { flags: FLAG_NO_RECORDED_VALUE } : { asDouble: seconds };
  return JSON.stringify({
    resourceMetrics: [
      {
        resource: { attributes: keyValues(resource) },
        scopeMetrics: [
          {
            scope: { name: SCOPE_NAME, version: PACKAGE_VERSION },
            metrics: [
              {
                name: METRIC_EVENT_LOOP_STALLED,
                description: 'How long a thread has been blocked so far, while it lasts.',
                unit: 's',
                gauge: { dataPoints: [{ ...value, timeUnixNano: nanos(epochMs), attributes: keyValues(attributes) }] },
              },
            ],
          },
        ],
      },
    ],
  });
}

/** 64-bit integers are strings in OTLP's JSON. */
function nanos(epochMs: number): string {
  return String(BigInt(Math.round(epochMs * 1000)) * 1000n);
}

function keyValues(attributes: PlainAttributes): { key: string; value: object }[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

/** Attributes come from the application: a value that OTLP cannot express becomes an empty one, which OTLP allows. */
function anyValue(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return numberValue(value);
  // `map` would skip the holes of a sparse array.
  return Array.isArray(value) ? { arrayValue: { values: Array.from(value, anyValue) } } : {};
}

function numberValue(value: number): object {
  if (Number.isSafeInteger(value)) return { intValue: String(value) };
  // Protobuf's JSON encodes numbers that are not finite as strings.
  return { doubleValue: Number.isFinite(value) ? value : String(value) };
}
