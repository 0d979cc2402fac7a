import { kindsOf } from '../contract/frames.js';
import { overlapMs, type Interval } from '../contract/interval.js';
import type { GcPauses } from '../contract/model.js';
import type { BusyPeriod } from './busy-period.js';
import { BOUNDS_MS } from './limits.js';
import { segmentsOf, type Segment } from './segments.js';

export interface OutsideContext {
  /** Intervals that are not counted: suspensions, and work that is not the application's. */
  readonly excluded: readonly Interval[];
  /** When this package worked in the thread. */
  readonly ownWork: readonly Interval[];
  /** When the SDK starts that this package has started in this thread. */
  readonly sdkStart: Interval | undefined;
  readonly gc: GcPauses;
}

/**
 * What is outside of a block. Intervals that nearly reach an edge of the period are extended to it, so that start, end and
 * duration of the block agree. What the application does while the SDK is loaded is not outside: loading takes several
 * iterations of the event loop, and the application serves requests between them. Nor is a hook of the application that
 * a report calls.
 */
export function outsideOf(
  period: BusyPeriod,
  { excluded, ownWork, sdkStart, gc }: OutsideContext,
): readonly Interval[] {
  const { start, end } = period;
  const isWithin = (interval: Interval): boolean => interval.end > start && interval.start < end;
  const outsideOfShown = (interval: Interval, isShown: (segment: Segment) => boolean): readonly Interval[] =>
    segmentsOf(period.samples, period, gc.pauses).filter(isShown).reduce(without, [interval]);
  const own = ownWork.filter(isWithin).flatMap((interval) => outsideOfShown(interval, showsHook));
  return excluded
    .flatMap((interval) => {
      const isSdkLoad = interval.start === sdkStart?.start && isWithin(interval);
      return isSdkLoad ? outsideOfShown(interval, showsApplication) : [interval];
    })
    .concat(own.filter((interval) => overlapMs(interval, excluded) === 0))
    .map((interval) => ({
      start: interval.start <= start + BOUNDS_MS ? Math.min(interval.start, start) : interval.start,
      end: interval.end > end - BOUNDS_MS ? Math.max(interval.end, end) : interval.end,
    }));
}

/** Start and end of a block, without what is outside of it there. */
export function boundsOf({ start, end }: Interval, outside: readonly Interval[]): Interval {
  const first = outside.find((interval) => interval.start <= start && interval.end > start && interval.end < end);
  const last = outside.find((interval) => interval.end >= end && interval.start > start && interval.start < end);
  return { start: first?.end ?? start, end: last?.start ?? end };
}

/** The application itself may load the SDK: then telemetry is on the stack, too. */
function showsApplication({ sample }: Segment): boolean {
  const kinds = kindsOf(sample.frames);
  return kinds.includes('application') && !kinds.includes('telemetry');
}

function showsHook({ sample }: Segment): boolean {
  return kindsOf(sample.frames).includes('application');
}

/** The intervals without another one. */
export function without<T extends Interval>(intervals: readonly T[], removed: Interval): T[] {
  return intervals.flatMap((interval) => {
    if (removed.end <= interval.start || removed.start >= interval.end) return [interval];
    const before = { ...interval, end: Math.max(interval.start, removed.start) };
    const after = { ...interval, start: Math.min(interval.end, removed.end) };
    return [before, after].filter(({ start, end }) => end > start);
  });
}
