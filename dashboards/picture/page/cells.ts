import type { RangeSeries } from './prometheus.ts';

/** How many events of a length, in the time before. */
export interface Cell {
  readonly timeSeconds: number;
  readonly lowerSeconds: number;
  readonly upperSeconds: number;
  readonly count: number;
}

/** Cells of a classic histogram, whose buckets count up, or of a native one. */
export function cellsOf(series: readonly RangeSeries[]): Cell[] {
  return [...classicCells(series), ...series.flatMap(nativeCells)].filter(({ count }) => count > 0);
}

function classicCells(series: readonly RangeSeries[]): Cell[] {
  const buckets = series
    .filter(({ metric }) => metric.le !== undefined)
    .map(({ metric, values = [] }) => ({
      upperSeconds: metric.le === '+Inf' ? Infinity : Number(metric.le),
      counts: new Map(values.map(([timeSeconds, value]) => [timeSeconds, Number(value)])),
    }))
    .sort((left, right) => left.upperSeconds - right.upperSeconds);
  return buckets.flatMap(({ upperSeconds, counts }, index) => {
    const below = buckets[index - 1];
    const lowerSeconds = below?.upperSeconds ?? upperSeconds / 2;
    return [...counts].map(([timeSeconds, count]) => ({
      timeSeconds,
      lowerSeconds,
      upperSeconds: Number.isFinite(upperSeconds) ? upperSeconds : lowerSeconds * 2,
      count: count - (below?.counts.get(timeSeconds) ?? 0),
    }));
  });
}

function nativeCells({ histograms = [] }: RangeSeries): Cell[] {
  return histograms.flatMap(([timeSeconds, { buckets = [] }]) =>
    buckets.map(([, lower, upper, count]) => ({
      timeSeconds,
      lowerSeconds: Number(lower),
      upperSeconds: Number(upper),
      count: Number(count),
    })),
  );
}
