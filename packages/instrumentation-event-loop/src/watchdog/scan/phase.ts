/**
 * What a thread that does not turn its loop is doing, as its answers tell:
 * - `busy`: running, or not answering;
 * - `idle`: asleep on purpose (a pool worker in `Atomics.wait` with nothing pending);
 * - `stuck`: asleep in `Atomics.wait` while work of its own is pending.
 */
export type Phase = 'busy' | 'idle' | 'stuck';

/** The probe's answers, as numbers. */
export const ProbeAnswer = {
  /** No JavaScript was running. */
  nobody: 0,
  running: 1,
  /** In `Atomics.wait` on a worker thread, with nothing pending. */
  asleep: 2,
  /** In `Atomics.wait` on a worker thread, with work pending. */
  asleepWithPending: 3,
} as const;

/** Undefined for nobody: asked between two microtasks, or on its way to the poll phase, which tells nothing. */
export function phaseOf(answer: number): Phase | undefined {
  if (answer === ProbeAnswer.running) return 'busy';
  if (answer === ProbeAnswer.asleepWithPending) return 'stuck';
  return answer === ProbeAnswer.asleep ? 'idle' : undefined;
}

/** When the watchdog speaks for a thread that cannot. */
export interface StallSchedule {
  /** The next value of the gauge is due at this age of the stall, ms. */
  nextGaugeMs: number;
  /** The next report of the hang is due at this age, ms; Infinity when off. */
  nextHangMs: number;
}

/** The gauge begins here, and is sent so often, ms. */
export const STALLED_AFTER_MS = 1000;
const GAUGE_INTERVAL_MS = 2000;

/** `hangAfterMs` of 0 turns both off. */
export function newSchedule(hangAfterMs: number): StallSchedule {
  if (hangAfterMs <= 0) return { nextGaugeMs: Infinity, nextHangMs: Infinity };
  return { nextGaugeMs: STALLED_AFTER_MS, nextHangMs: hangAfterMs };
}

/** What is due at that age, and the schedule after it: gauges at a fixed interval, hangs at doubling ones. */
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
