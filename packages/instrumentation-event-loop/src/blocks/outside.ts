import { isOfNodeOrV8 } from '../contract/frames.js';
import { overlapMs, type Interval } from '../contract/interval.js';
import type { GcPauses, Sample } from '../contract/model.js';
import type { BusyPeriod } from './busy-period.js';
import { BOUNDS_MS } from './limits.js';
import { segmentsOf, type Segment } from './segments.js';
import { difference } from './thread-times.js';

export interface OutsideContext {
  /** Intervals that are not counted: suspensions, and work that is not the application's. */
  readonly excluded: readonly Interval[];
  /** When this package worked in the thread. */
  readonly ownWork: readonly Interval[];
  /** When the SDK starts that this package has started in this thread. */
  readonly sdkStart: Interval | undefined;
  readonly gc: GcPauses;
}

/** What is outside of a block. It took place from `began` to `ended` where it is extended to an edge of the period. */
export interface Outside extends Interval {
  readonly began?: number;
  readonly ended?: number;
}

/**
 * What is outside of a block. Intervals that nearly reach an edge of the period are extended to it, so that start, end and
 * duration of the block agree. What the application does while the SDK is loaded is not outside: loading takes several
 * iterations of the event loop, and the application serves requests between them. Nor is a hook of the application that
 * a report calls.
 */
export function outsideOf(period: BusyPeriod, { excluded, ownWork, sdkStart, gc }: OutsideContext): readonly Outside[] {
  const { start, end } = period;
  const withoutApplication = (interval: Interval): readonly Interval[] =>
    segmentsOf(period.samples, period, gc.pauses).filter(showsApplication).reduce(without, [interval]);
  const own = ownWork.filter((interval) => overlapMs(interval, [period]) > 0 && overlapMs(interval, excluded) === 0);
  return excluded
    .flatMap((interval) => (interval.start === sdkStart?.start ? withoutApplication(interval) : [interval]))
    .concat(own.flatMap(withoutApplication))
    .map((interval) => ({
      began: interval.start,
      ended: interval.end,
      start: interval.start <= start + BOUNDS_MS ? Math.min(interval.start, start) : interval.start,
      end: interval.end > end - BOUNDS_MS ? Math.max(interval.end, end) : interval.end,
    }));
}

/**
 * When a debugger held the thread. From one sample to the next, its inspector was open, and it neither ran nor waited for a
 * CPU most of the time; the second sample shows code outside of Node.
 */
export function debuggerPauses({
  start,
  samples,
  before,
}: Pick<BusyPeriod, 'start' | 'samples' | 'before'>): Interval[] {
  return samples.flatMap((sample, i) => {
    const { takenAt, threadTimes } = samples[i - 1] ?? { takenAt: start, threadTimes: before?.times };
    const cpuMs = difference(sample.threadTimes?.cpuMs, threadTimes?.cpuMs);
    if (cpuMs === undefined || !canBeStopped(sample)) return [];
    const usedMs = cpuMs + (difference(sample.threadTimes?.runQueueMs, threadTimes?.runQueueMs) ?? 0);
    return usedMs < (sample.takenAt - takenAt) / 2 ? [{ start: takenAt, end: sample.takenAt }] : [];
  });
}

/** Whether a debugger could have stopped the thread where the sample shows it. */
function canBeStopped({ inspected, frames: [top] }: Sample): boolean {
  return inspected && top !== undefined && !isOfNodeOrV8(top);
}

/** Start and end of what is left of a period; of all of it, where nothing is left. */
export function boundsOf(period: Interval, outside: readonly Interval[]): Interval {
  const left = outside.reduce(without, [period]);
  return { start: left[0]?.start ?? period.start, end: left.at(-1)?.end ?? period.end };
}

/** Whether the application ran, and neither the SDK that it loads nor the report that calls its hook. */
function showsApplication({ kinds }: Segment): boolean {
  return kinds.find((kind) => kind === 'application' || kind === 'telemetry') === 'application';
}

/** The intervals without another one. */
export function without<T extends Interval>(intervals: readonly T[], removed: Interval): T[] {
  return intervals.flatMap((interval) => {
    const before = { ...interval, end: Math.min(interval.end, removed.start) };
    const after = { ...interval, start: Math.max(interval.start, removed.end) };
    return [before, after].filter(({ start, end }) => end > start);
  });
}
