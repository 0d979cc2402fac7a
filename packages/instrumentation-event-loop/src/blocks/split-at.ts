import type { Reading } from '../contract/model.js';
import type { BusyPeriod } from './busy-period.js';

/** Splits a busy period at a time within it; the first part keeps the identity. */
export function splitAt(period: BusyPeriod, at: number): BusyPeriod[] {
  const first = period.samples.filter(({ takenAt }) => takenAt <= at);
  const second = period.samples.filter(({ takenAt }) => takenAt > at);
  const last = first.at(-1);
  // The loop does not poll within a busy period, so the idle time does not change.
  const reading: Reading | undefined = last && {
    at: last.takenAt,
    idleTime: period.after.idleTime,
    times: last.threadTimes,
  };
  return [
    { ...period, end: at, samples: first, looks: undefined, after: reading ?? period.after, hang: undefined },
    { ...period, id: {}, start: at, samples: second, looks: undefined, before: reading ?? period.before },
  ];
}
