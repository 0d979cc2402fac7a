import { DEFAULT_HANG_THRESHOLD_MS } from '@loopwatch/instrumentation-event-loop/internal';

/** Length, ms, from which on a block is reported while it lasts; infinite where that is turned off. */
export function hangThreshold({ LOOPWATCH_HANG_THRESHOLD_MS: text = '' }: NodeJS.ProcessEnv): number {
  const ms = text.trim() === '' ? NaN : Number(text);
  if (!(ms >= 0)) return DEFAULT_HANG_THRESHOLD_MS;
  return ms === 0 ? Infinity : ms;
}
