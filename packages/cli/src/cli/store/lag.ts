import { acceptLagPoint } from '../../model/accept/lag-point.js';
import { threadKey } from '../../model/thread-key.js';
import type { LagPoint } from '../../model/types.js';
import { sizeOfValue } from './sized-map.js';
import type { Change, Store } from './store.js';

/** Stores the point unless it is empty or invalid. Cumulative points that arrive out of order have negative differences. */
export function addLag(store: Store, received: LagPoint | undefined, change: Change): void {
  const point = acceptLagPoint(received);
  if (!point) return;
  const key = threadKey(point);
  const points = store.lag.get(key);
  if (points) {
    points.push(point);
    store.lag.grow(key, sizeOfValue(point));
    store.lag.touch(key);
  } else {
    store.lag.set(key, [point]);
  }
  change.lag.push(point);
}
