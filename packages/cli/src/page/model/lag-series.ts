import { groupBy } from '../../model/collections.js';
import { mergeHistograms, quantile } from '../../model/delays/histogram.js';
import type { LagPoint } from '../../model/types.js';

/** Lag over time, in columns as uPlot takes them. Null: no measurement. */
export interface LagSeries {
  /** Epoch, ms. */
  readonly timesMs: number[];
  readonly p50Ms: (number | null)[];
  readonly p99Ms: (number | null)[];
}

const BINS = 400;
const MIN_BIN_MS = 1_000;

/**
 * Percentiles in at most 400 bins, each at the middle of its bin. Histograms of a bin are merged: averaged percentiles
 * would be wrong.
 */
export function lagSeries(points: readonly LagPoint[], fromMs: number, toMs: number): LagSeries {
  const binMs = Math.max(MIN_BIN_MS, Math.ceil((toMs - fromMs) / BINS / MIN_BIN_MS) * MIN_BIN_MS);
  const shown = points.filter((point) => point.endMs >= fromMs && point.startMs <= toMs);
  const longestMs = shown.reduce((longest, point) => Math.max(longest, point.endMs - point.startMs), 0);
  const bins = groupBy(shown, (point) => Math.floor((point.startMs + point.endMs) / 2 / binMs));
  const series: LagSeries = { timesMs: [], p50Ms: [], p99Ms: [] };
  let lastMs: number | undefined;
  for (const [bin, members] of [...bins].sort((a, b) => a[0] - b[0])) {
    const timeMs = (bin + 0.5) * binMs;
    // A pause longer than three intervals interrupts the line.
    if (lastMs !== undefined && timeMs - lastMs > 3 * Math.max(binMs, longestMs)) push(series, lastMs + binMs, null);
    push(series, timeMs, mergeHistograms(members));
    lastMs = timeMs;
  }
  return series;
}

function push(series: LagSeries, timeMs: number, histogram: ReturnType<typeof mergeHistograms> | null): void {
  series.timesMs.push(timeMs);
  series.p50Ms.push(histogram && quantile(histogram, 0.5));
  series.p99Ms.push(histogram && quantile(histogram, 0.99));
}
