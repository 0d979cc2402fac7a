import type { PoolWait } from '../../model/thread-pool.js';
import type { Store } from './store.js';

const MAX_WAITS = 1_000;
/** The two clocks of a process drift: reports of one wait differ by less in its start, ms. */
const SAME_START_MS = 20;

/** Keeps a wait. One that lasts is reported several times: the longest report of it stays. */
export function addPoolWait({ poolWaits }: Pick<Store, 'poolWaits'>, wait: PoolWait): void {
  const known = poolWaits.findLastIndex(
    ({ instance, startMs }) => instance === wait.instance && Math.abs(startMs - wait.startMs) < SAME_START_MS,
  );
  if (known >= 0) poolWaits[known] = wait;
  else if (poolWaits.length < MAX_WAITS) poolWaits.push(wait);
}
