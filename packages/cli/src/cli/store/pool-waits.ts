import type { PoolWait } from '../../model/delays/thread-pool.js';
import type { Store } from './store.js';

export const MAX_POOL_WAITS = 1_000;
/** The two clocks of a process drift: reports of one wait differ by less in its start, ms. */
const SAME_START_MS = 20;

/** Keeps a wait. One that lasts is reported several times: the longest report of it stays. */
export function addPoolWait({ poolWaits, totals }: Pick<Store, 'poolWaits' | 'totals'>, wait: PoolWait): void {
  const known = findReport(poolWaits, wait);
  // Its reports need not arrive in their order.
  if (known && known[1].durationMs > wait.durationMs) return;
  poolWaits.set(known?.[0] ?? `${wait.instance}\n${wait.lane ?? ''}\n${wait.startMs}`, wait);
  const [oldest] = poolWaits.keys();
  if (poolWaits.size <= MAX_POOL_WAITS || oldest === undefined) return;
  poolWaits.delete(oldest);
  totals.notKept.poolWaits += 1;
}

/** An earlier report of the same wait, with its key. */
function findReport(
  poolWaits: Store['poolWaits'],
  { instance, lane, startMs }: PoolWait,
): [string, PoolWait] | undefined {
  for (const entry of poolWaits) {
    const [, known] = entry;
    const isSame =
      known.instance === instance && known.lane === lane && Math.abs(known.startMs - startMs) < SAME_START_MS;
    if (isSame) return entry;
  }
  return undefined;
}
