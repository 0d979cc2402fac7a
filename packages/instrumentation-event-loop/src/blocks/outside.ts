import { isOfNodeOrV8 } from '../contract/frames.js';
import { merged, overlapMs, type Interval } from '../contract/interval.js';
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

type ObservedPeriod = Pick<BusyPeriod, 'start' | 'end' | 'samples' | 'before'> & Partial<Pick<BusyPeriod, 'after'>>;

/**
 * When a debugger held the thread: from one sample to the next, which shows code outside of Node, the thread neither ran
 * nor waited for a CPU most of the time, and its inspector was open. Right before the first and after the last of these
 * intervals, it held the thread while that did not run either, for at most as long as these intervals: to stop a thread takes
 * CPU time. Where the first answer comes from there, none shows what ran before, and it counts for none.
 */
export function debuggerPauses(period: ObservedPeriod): Interval[] {
  const steps = stepsOf(period);
  return merged(steps.filter(({ isHeld }) => isHeld)).map(({ start, end }) => {
    const unusedMs = (step: Step | undefined): number => Math.min(step?.unusedMs ?? 0, end - start);
    return {
      start:
        steps[0]?.end === start && isSamePlace(period.samples[0], period.samples[1])
          ? Math.max(period.start, 2 * start - end)
          : start - unusedMs(steps.find((step) => step.end === start)),
      end: end + unusedMs(steps.find((step) => step.start === end)),
    };
  });
}

function isSamePlace(one: Sample | undefined, other: Sample | undefined): boolean {
  const [a, b] = [one?.frames[0], other?.frames[0]];
  return a?.fileName === b?.fileName && a?.lineNumber === b?.lineNumber && a?.columnNumber === b?.columnNumber;
}

interface Step extends Interval {
  /** A debugger held the thread. */
  readonly isHeld: boolean;
  /** For how long a debugger may have held it: it neither ran nor waited for a CPU. */
  readonly unusedMs: number;
}

/** A period from one sample to the next. */
function stepsOf({ start, end, samples, before, after }: ObservedPeriod): Step[] {
  let [from, fromTimes] = [start, before?.times];
  return [...samples, { takenAt: end, threadTimes: after?.times }].map((sample): Step => {
    const { takenAt, threadTimes } = sample;
    const cpuMs = difference(threadTimes?.cpuMs, fromTimes?.cpuMs) ?? Infinity;
    const queuedMs = difference(threadTimes?.runQueueMs, fromTimes?.runQueueMs) ?? 0;
    const lengthMs = takenAt - from;
    const isShown = 'frames' in sample;
    const unusedMs =
      isShown && !canBeStopped(sample) ? 0 : Math.min(lengthMs, Math.max(0, lengthMs - cpuMs - queuedMs));
    const isHeld = isShown && unusedMs > lengthMs / 2;
    const step = { start: from, end: takenAt, isHeld, unusedMs };
    [from, fromTimes] = [takenAt, threadTimes];
    return step;
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
