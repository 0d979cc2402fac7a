import { kindsOf } from '../contract/frames.js';
import { overlapMs, type Interval } from '../contract/interval.js';
import type { WeightedSample } from './weights.js';

/**
 * Takes out of an excluded interval the time in which the samples show the application at work. Loading an SDK takes
 * several iterations of the event loop, and the application serves requests between them.
 */
export function withoutApplicationTimes(
  excluded: Interval,
  period: Interval,
  samples: readonly WeightedSample[],
): readonly Interval[] {
  if (overlapMs(period, [excluded]) === 0) return [excluded];
  return applicationTimes(period, samples).reduce<readonly Interval[]>(
    (rest, time) => rest.flatMap((interval) => without(interval, time)),
    [excluded],
  );
}

function applicationTimes({ start, end }: Interval, samples: readonly WeightedSample[]): Interval[] {
  const times: Interval[] = [];
  let from = start;
  for (const [i, weighted] of samples.entries()) {
    // The weights divide the period: the last sample extends to its end.
    const to = i === samples.length - 1 ? end : from + weighted.weightMs;
    if (showsApplication(weighted)) times.push({ start: from, end: to });
    from = to;
  }
  return times;
}

/** The application itself may load the SDK: then telemetry is on the stack, too. */
function showsApplication({ sample }: WeightedSample): boolean {
  const kinds = kindsOf(sample.frames);
  return kinds.includes('application') && !kinds.includes('telemetry');
}

function without({ start, end }: Interval, removed: Interval): Interval[] {
  const before = { start, end: Math.min(end, removed.start) };
  const after = { start: Math.max(start, removed.end), end };
  return [before, after].filter((part) => part.end > part.start);
}
