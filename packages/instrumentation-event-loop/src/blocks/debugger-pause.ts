import { isOfNodeOrV8 } from '../contract/frames.js';
import type { Interval } from '../contract/interval.js';
import type { Sample } from '../contract/model.js';
import type { BusyPeriod } from './busy-period.js';
import { difference } from './thread-times.js';

/**
 * When a debugger held the thread: from one sample to the next, which shows code outside of Node, the thread neither ran
 * nor waited for a CPU most of the time, and its inspector was open.
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
