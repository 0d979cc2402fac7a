import type { NotKept } from '../../model/live/not-kept.js';
import type { CumulativePoint, Store } from './store.js';

/**
 * Keeps a point as the last of its cumulative series. Returns the one from which the series goes on, if there is one.
 * Undefined where nothing is known to be new: of a point that arrives again, and of a series whose last point was evicted,
 * because most of what it counts has been counted.
 */
export function takeCumulative(
  { lastCumulative, totals }: Pick<Store, 'lastCumulative' | 'totals'>,
  series: string,
  point: CumulativePoint,
  kind: keyof NotKept,
): { readonly before?: CumulativePoint } | undefined {
  const last = lastCumulative.get(series);
  const before = last?.startMs === point.startMs ? last : undefined;
  if (before && point.endMs <= before.endMs) return undefined;
  lastCumulative.set(series, point);
  lastCumulative.touch(series);
  if (before) return { before };
  if (last || point.startMs >= totals.forgottenSeriesMs) return {};
  totals.notKept[kind] += 1;
  return undefined;
}

/** Evicts the last point of a cumulative series. */
export function forgetSeries(
  { lastCumulative, totals }: Pick<Store, 'lastCumulative' | 'totals'>,
  series: string,
): void {
  const { endMs = -Infinity } = lastCumulative.get(series) ?? {};
  lastCumulative.delete(series);
  totals.forgottenSeriesMs = Math.max(totals.forgottenSeriesMs, endMs);
}
