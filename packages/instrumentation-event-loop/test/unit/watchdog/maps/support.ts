import type { Pieces } from '../../../../src/watchdog/maps/json-scan.js';

/** Runs the work to its end. */
export function finish<T>(work: Pieces<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
