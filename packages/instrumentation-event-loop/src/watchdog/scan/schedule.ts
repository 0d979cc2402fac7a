/** The sample interval grows by this share of the block's age, so that a block costs a bounded number of samples. */
const GROWTH = 0.05;
const MAX_INTERVAL_MS = 1000;

/** Time until the next sample of a thread that has been blocked for `ageMs`, ms. */
export function sampleInterval(ageMs: number, sampleIntervalMs: number): number {
  return Math.max(sampleIntervalMs, Math.min(MAX_INTERVAL_MS, ageMs * GROWTH));
}

/** When the watchdog reports a stalled thread. */
export interface StallSchedule {
  /** Age at which the next value of the gauge is due, ms. */
  nextGaugeMs: number;
  /** Age at which the next hang report is due, ms; Infinity when off. */
  nextHangMs: number;
}

/** Age at which the gauge begins, ms. */
export const STALLED_AFTER_MS = 1000;
const GAUGE_INTERVAL_MS = 2000;

/** A `hangAfterMs` of 0 turns gauge and hang reports off. */
export function newSchedule(hangAfterMs: number): StallSchedule {
  if (hangAfterMs <= 0) return { nextGaugeMs: Infinity, nextHangMs: Infinity };
  return { nextGaugeMs: STALLED_AFTER_MS, nextHangMs: hangAfterMs };
}

/** What is due at that age, and the schedule after it: the gauge at a fixed interval, hang reports at doubling ages. */
export function advance(
  schedule: StallSchedule,
  ageMs: number,
): { gauge: boolean; hang: boolean; next: StallSchedule } {
  const gauge = ageMs >= schedule.nextGaugeMs;
  const hang = ageMs >= schedule.nextHangMs;
  let { nextHangMs } = schedule;
  while (ageMs >= nextHangMs) nextHangMs *= 2;
  return { gauge, hang, next: { nextGaugeMs: gauge ? ageMs + GAUGE_INTERVAL_MS : schedule.nextGaugeMs, nextHangMs } };
}
