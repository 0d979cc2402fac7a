import type { LagPoint } from '../types.js';

export interface LagSummary {
  readonly count: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  /** If the source reports no maximum: the upper bound of the highest bucket that is not empty. */
  readonly maxMs: number;
}

/** Percentiles of the lag over all points; undefined when nothing was measured. */
export function summariseLag(points: readonly LagPoint[]): LagSummary | undefined {
  const merged = mergeHistograms(points);
  if (merged.count === 0) return undefined;
  return {
    count: merged.count,
    p50Ms: quantile(merged, 0.5),
    p90Ms: quantile(merged, 0.9),
    p99Ms: quantile(merged, 0.99),
    maxMs: quantile(merged, 1),
  };
}

interface Histogram {
  readonly boundsMs: readonly number[];
  readonly counts: readonly number[];
  readonly maxMs?: number;
}

/**
 * Merges histograms. The first point gives the bounds; a bucket of a point with other bounds is counted in the bucket that
 * contains its upper bound, so that merging never shortens a lag.
 */
export function mergeHistograms(points: readonly LagPoint[]): Histogram & { readonly count: number } {
  const boundsMs = points[0]?.boundsMs ?? [];
  const counts = new Array<number>(boundsMs.length + 1).fill(0);
  let maxMs = 0;
  let count = 0;
  for (const point of points) {
    const sameBounds = hasSameBounds(point.boundsMs, boundsMs);
    point.counts.forEach((bucketCount, index) => {
      if (bucketCount === 0) return;
      const bucket = sameBounds ? index : bucketOf(boundsMs, point.boundsMs[index] ?? Infinity);
      counts[bucket] = (counts[bucket] ?? 0) + bucketCount;
      count += bucketCount;
      maxMs = Math.max(maxMs, point.maxMs ?? point.boundsMs[index] ?? lowerBound(point.boundsMs, index));
    });
  }
  return { boundsMs, counts, maxMs, count };
}

/** The quantile, interpolated within its bucket, at most the maximum. */
export function quantile(histogram: Histogram, share: number): number {
  const { boundsMs, counts } = histogram;
  const total = counts.reduce((a, b) => a + b, 0);
  const max = histogram.maxMs ?? Infinity;
  if (total === 0) return 0;
  if (share >= 1 && Number.isFinite(max)) return max;
  let seen = 0;
  for (const [index, bucketCount] of counts.entries()) {
    if (bucketCount === 0) continue;
    seen += bucketCount;
    if (seen < share * total) continue;
    const lower = lowerBound(boundsMs, index);
    const upper = Math.min(boundsMs[index] ?? Infinity, max);
    if (!Number.isFinite(upper)) return lower;
    const within = (share * total - (seen - bucketCount)) / bucketCount;
    return Math.min(lower + Math.max(0, upper - lower) * within, max);
  }
  return max;
}

/** Index of the bucket `(lower, upper]` that holds the value. */
export function bucketOf(bounds: readonly number[], value: number): number {
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (value <= bounds[middle]!) high = middle;
    else low = middle + 1;
  }
  return low;
}

function lowerBound(bounds: readonly number[], index: number): number {
  return index === 0 ? 0 : (bounds[index - 1] ?? 0);
}

function hasSameBounds(a: readonly number[], b: readonly number[]): boolean {
  return a === b || (a.length === b.length && a.every((bound, index) => bound === b[index]));
}
