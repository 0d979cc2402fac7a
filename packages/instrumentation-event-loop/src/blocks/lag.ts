/**
 * Corrects a lag for coordinated omission: while the loop is `lagMs` late, the heartbeat cannot measure the events that
 * arrive every `intervalMs`. Returns how long each of them waits, in ms: the measured lag, and the lags of the missed
 * beats. Without them, a block of 3 s would weigh as much as a delay of 1 ms.
 *
 * A very long lag gives at most `maxSamples` values, evenly spaced, so that reporting it costs a bounded time.
 */
export function correctedLags(lagMs: number, intervalMs: number, maxSamples = 10_000): number[] {
  if (!(lagMs > 0)) return [0];
  const step = Math.max(intervalMs, lagMs / maxSamples);
  const lags: number[] = [];
  for (let left = lagMs; left > 0; left -= step) lags.push(left);
  return lags;
}
