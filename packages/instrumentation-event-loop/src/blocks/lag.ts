/**
 * The waits, in ms, that events would have had which arrive every `intervalMs` while the loop is `lagMs` late: the late
 * sample itself and those that could not be taken meanwhile. Without them a block of 3 s would weigh as much as a delay
 * of 1 ms (coordinated omission).
 *
 * Thinned evenly to at most `maxSamples` for very long delays, so that telling one costs a bounded time.
 */
export function correctedLags(lagMs: number, intervalMs: number, maxSamples = 10_000): number[] {
  if (!(lagMs > 0)) return [0];
  const step = Math.max(intervalMs, lagMs / maxSamples);
  const lags: number[] = [];
  for (let left = lagMs; left > 0; left -= step) lags.push(left);
  return lags;
}
