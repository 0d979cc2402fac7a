import type { Attributes, SpanLink } from '../../model/types.js';

/** A span as decoded, before its resource has become an instance. Times are epoch milliseconds. */
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

/** Spans of one resource and scope. */
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

/** The body is no OTLP: what was wrong with it stands in the message. */
export class MalformedBodyError extends Error {
  override name = 'MalformedBodyError';
}

/** `AggregationTemporality` on the wire. */
export function temporalityOf(code: number): Temporality {
  return code === 1 ? 'delta' : code === 2 ? 'cumulative' : 'none';
}

/** Explicit buckets of an exponential histogram: those between the lowest and the highest that are not empty. */
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
