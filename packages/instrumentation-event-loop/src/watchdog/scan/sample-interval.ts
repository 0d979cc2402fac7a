/** The interval grows by this share of the block's age, so that a block costs a bounded number of samples. */
const GROWTH = 0.05;
const MAX_INTERVAL_MS = 1000;

/** Time to the next sample of a thread that has been blocked for `ageMs`. */
export function sampleInterval(ageMs: number, sampleIntervalMs: number): number {
  return Math.max(sampleIntervalMs, Math.min(MAX_INTERVAL_MS, ageMs * GROWTH));
}
