import { MAX_BUCKETS } from '../../model/accept/lag-point.js';
import type { Attributes, SpanLink } from '../../model/types.js';

/** A decoded span, still without the instance that its resource describes. Times are epoch milliseconds. */
export interface DecodedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  startMs: number;
  endMs: number;
  attributes: Attributes;
  statusCode: number;
  links: SpanLink[];
}

/** Spans of the same resource and scope. */
export interface SpanGroup {
  resource: Attributes;
  scope: string;
  spans: DecodedSpan[];
}

/** One data point. Values are in the metric's own unit, times are epoch milliseconds. */
export interface DecodedPoint {
  attributes: Attributes;
  startMs: number;
  endMs: number;
  /** Of gauges and sums. */
  value?: number;
  /** Of histograms. */
  bounds?: number[];
  counts?: number[];
  max?: number;
}

export type Temporality = 'delta' | 'cumulative' | 'none';

/** One metric of one resource. */
export interface DecodedMetric {
  resource: Attributes;
  scope: string;
  name: string;
  unit: string;
  temporality: Temporality;
  points: DecodedPoint[];
}

/** The body is not valid OTLP; the message says why. */
export class MalformedBodyError extends Error {
  override name = 'MalformedBodyError';
}

/** The body is valid, but has more entries than can be kept. */
export class OversizedBodyError extends MalformedBodyError {
  override name = 'OversizedBodyError';
}

/** Estimated size, in bytes, of what may be decoded from one body: several times that of the largest. */
const MAX_DECODED_BYTES = 128 * 1024 * 1024;
/** Of a value within a value. The deepest that OpenTelemetry's SDKs write is 3. */
export const MAX_DEPTH = 64;

export const SPAN_BYTES = 700;
export const POINT_BYTES = 400;
export const ENTRY_BYTES = 60;

/** What is left for what is decoded from one body: two bytes can be an empty span, which takes hundreds in memory. */
export class DecodeBudget {
  #left = MAX_DECODED_BYTES;

  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new OversizedBodyError('The body has too many entries: send smaller batches.');
  }
}

/** `AggregationTemporality` on the wire. */
export function temporalityOf(code: number): Temporality {
  return code === 1 ? 'delta' : code === 2 ? 'cumulative' : 'none';
}

/** Converts an exponential histogram to explicit buckets, one for each of its buckets. */
export function explicitBuckets(histogram: {
  scale: number;
  zeroCount: number;
  offset: number;
  counts: readonly number[];
}): { bounds: number[]; counts: number[] } {
  if (histogram.counts.length >= MAX_BUCKETS) return { bounds: [], counts: [] };
  const base = 2 ** (2 ** -histogram.scale);
  const bounds = [base ** histogram.offset];
  const counts = [histogram.zeroCount];
  for (const [index, count] of histogram.counts.entries()) {
    bounds.push(base ** (histogram.offset + index + 1));
    counts.push(count);
  }
  return { bounds, counts: [...counts, 0] };
}
