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
  const base = 2 ** (2 ** -histogram.scale);
  const bounds = [base ** histogram.offset];
  const counts = [histogram.zeroCount];
  for (const [index, count] of histogram.counts.entries()) {
    bounds.push(base ** (histogram.offset + index + 1));
    counts.push(count);
  }
  return { bounds, counts: [...counts, 0] };
}
