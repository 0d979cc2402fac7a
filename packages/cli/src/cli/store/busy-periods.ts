import { type BusyPeriod, busyThreadKey } from '../../model/busy-time/busy.js';
import { halvePeriods, limitAnswers } from '../../model/busy-time/busy-periods.js';
import { sizeOfValue } from './sized-map.js';
import type { Store } from './store.js';

/** Periods of a thread. Beyond, two neighbours become one: the ranges that can be selected become coarser. */
export const MAX_PERIODS_OF_THREAD = 256;

/** Keeps busy time of a thread. */
export function addBusyPeriod({ busyPeriods }: Pick<Store, 'busyPeriods'>, received: BusyPeriod): void {
  const key = busyThreadKey(received);
  const period = limitAnswers(received);
  const periods = busyPeriods.get(key);
  if (!periods) {
    busyPeriods.set(key, [period]);
    return;
  }
  periods.push(period);
  if (periods.length > MAX_PERIODS_OF_THREAD) busyPeriods.set(key, halvePeriods(periods));
  else busyPeriods.grow(key, sizeOfValue(period));
  busyPeriods.touch(key);
}
