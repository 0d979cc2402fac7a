import { threadKey } from '../../model/thread-key.js';
import type { LagPoint } from '../../model/types.js';
import type { Change, Store } from './store.js';

/** Stores the point unless it is empty or invalid. */
export function addLag(store: Store, point: LagPoint | undefined, change: Change): void {
  // Cumulative points that arrive out of order have negative differences.
  if (!point?.counts.some((count) => count > 0) || point.counts.some((count) => count < 0)) return;
  const key = threadKey(point);
  let points = store.lag.get(key);
  if (!points) store.lag.set(key, (points = []));
  points.push(point);
  change.lag.push(point);
}
