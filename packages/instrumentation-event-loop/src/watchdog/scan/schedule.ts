/** The sample interval grows by this share of the block's age, so that a block costs a bounded number of samples. */
const GROWTH = 0.05;
const MAX_INTERVAL_MS = 1000;

/** Time until the next sample of a thread that has been blocked for `ageMs`, ms. */
export function sampleInterval(ageMs: number, sampleIntervalMs: number): number {
  return Math.max(sampleIntervalMs, Math.min(MAX_INTERVAL_MS, ageMs * GROWTH));
}

/** Age at which the gauge begins, ms. */
export const STALLED_AFTER_MS = 1000;
const GAUGE_INTERVAL_MS = 2000;
/** The length so far is cheap to write, and where the process is killed, the last one is what is known. */
const LENGTH_INTERVAL_MS = 100;

/** What is reported of a stalled thread. */
export interface Due<T> {
  /** To OTLP receivers: the gauge and hang reports. */
  readonly gauge: T;
  readonly hang: T;
  /** To a file: the length so far and the report so far. */
  readonly length: T;
  readonly soFar: T;
}

/** Ages at which the next of each is due, ms; Infinity: never. */
export type StallSchedule = Due<number>;

/** From these ages on, hangs and blocks so far are reported, ms; 0: never. */
export interface StallSettings {
  readonly hangAfterMs: number;
  readonly soFarAfterMs: number;
}

export function newSchedule({ hangAfterMs, soFarAfterMs }: StallSettings): StallSchedule {
  const hang = hangAfterMs || Infinity;
  const soFar = soFarAfterMs || Infinity;
  return { gauge: hang === Infinity ? hang : STALLED_AFTER_MS, hang, length: soFar, soFar };
}

/** The schedule of a thread whose settings change while it is stalled. What they leave as it was stays as far as it is. */
export function changeSettings(schedule: StallSchedule, from: StallSettings, to: StallSettings): StallSchedule {
  const { gauge, hang, length, soFar } = newSchedule(to);
  return {
    ...schedule,
    ...(from.hangAfterMs === to.hangAfterMs ? {} : { gauge, hang }),
    ...(from.soFarAfterMs === to.soFarAfterMs ? {} : { length, soFar }),
  };
}

/** What is due at that age, and the schedule after it: reports at doubling ages, the others at fixed intervals. */
export function advance(schedule: StallSchedule, ageMs: number): { due: Due<boolean>; next: StallSchedule } {
  const isHangDue = ageMs >= schedule.hang;
  const due = {
    gauge: ageMs >= schedule.gauge,
    hang: isHangDue,
    length: ageMs >= schedule.length,
    // The reader of the file shows a hang at these ages, too: what it shows then has to be of that moment.
    soFar: ageMs >= schedule.soFar || (isHangDue && schedule.soFar < Infinity),
  };
  const next = {
    gauge: due.gauge ? ageMs + GAUGE_INTERVAL_MS : schedule.gauge,
    hang: doubled(schedule.hang, ageMs),
    length: due.length ? ageMs + LENGTH_INTERVAL_MS : schedule.length,
    soFar: doubled(schedule.soFar, ageMs),
  };
  return { due, next };
}

function doubled(dueMs: number, ageMs: number): number {
  let nextMs = dueMs;
  while (ageMs >= nextMs) nextMs *= 2;
  return nextMs;
}
