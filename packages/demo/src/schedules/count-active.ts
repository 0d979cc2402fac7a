import type { Schedule } from './schedules.js';

/** How many of the schedules are active. Searches all schedules for each id: n²/2 comparisons. New in release 2. */
export function countActive(ids: readonly number[], schedules: readonly Schedule[]): number {
  let count = 0;
  for (const id of ids) {
    if (schedules.find((schedule) => schedule.id === id)?.active === 1) count += 1;
  }
  return count;
}
