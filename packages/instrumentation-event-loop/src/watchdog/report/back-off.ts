/** Delay before the second attempt, ms; each further one doubles it. */
const FIRST_DELAY_MS = 2000;
const MAX_DELAY_MS = 60_000;
/** Longest delay that a receiver may ask for, ms. */
const MAX_RETRY_AFTER_MS = 300_000;

/**
 * Delay before the next attempt after so many failures, ms. Jitter takes up to half of it, so that the processes that a
 * receiver has lost at one moment do not come back at one moment. The delay that the receiver asks for is the least, up
 * to a limit.
 */
export function retryDelay(failures: number, retryAfterMs: number, random: number): number {
  const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1));
  const jitteredMs = delayMs * (1 - random / 2);
  const leastMs = Math.min(MAX_RETRY_AFTER_MS, retryAfterMs);
  return leastMs > jitteredMs ? leastMs * (1 + random / 10) : jitteredMs;
}
