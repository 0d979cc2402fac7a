import type { Saturation } from '../../model/delays/saturation.js';
import type { Store } from './store.js';

/** An instance sends one a minute for each of its threads. */
export const MAX_SATURATIONS = 1_000;

/** Keeps when a loop was saturated. */
export function addSaturation(
  { saturations, totals }: Pick<Store, 'saturations' | 'totals'>,
  saturation: Saturation,
): void {
  const { instance, threadName, startMs } = saturation;
  saturations.set(`${instance}\n${threadName}\n${startMs}`, saturation);
  const [oldest] = saturations.keys();
  if (saturations.size <= MAX_SATURATIONS || oldest === undefined) return;
  saturations.delete(oldest);
  totals.notKept.busyPeriods += 1;
}
