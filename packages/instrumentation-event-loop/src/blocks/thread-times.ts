import { overlapMs, type Interval } from '../contract/interval.js';
import type { BlockTimes, GcPauses } from '../contract/model.js';
import type { BusyPeriod } from './busy-period.js';

/**
 * Time on a CPU, in the run queue and in garbage collection within a busy period; `durationMs` bounds the first two.
 * In the `standstills`, the thread did nothing.
 */
export function threadTimes(
  period: BusyPeriod,
  durationMs: number,
  gc: GcPauses,
  standstills: readonly Interval[] = [],
): BlockTimes {
  const { start, end, before, after, lostIdleMs = 0 } = period;
  const gcMs = collectedWithin(period, gc);
  if (!before?.times || !after.times) return { cpuMs: undefined, runQueueMs: undefined, gcMs };
  // The readings were taken before and after the period: work between a reading and the period is not part of the
  // block.
  const idleMs = after.idleTime - before.idleTime;
  const workedMs = (outside: Interval): number =>
    Math.max(0, outside.end - outside.start - idleMs - overlapMs(outside, standstills));
  const outsideMs = workedMs({ start: before.at, end: start - lostIdleMs }) + workedMs({ start: end, end: after.at });
  const bounded = (ms: number): number => Math.min(durationMs, Math.max(0, ms));
  // The counters can step back when the virtual machine migrates to another host.
  const allCpuMs = Math.max(0, after.times.cpuMs - before.times.cpuMs);
  if (after.times.runQueueMs === undefined || before.times.runQueueMs === undefined) {
    return { cpuMs: bounded(allCpuMs - outsideMs), runQueueMs: undefined, gcMs };
  }
  const allRunQueueMs = Math.max(0, after.times.runQueueMs - before.times.runQueueMs);
  const cpuShare = allCpuMs / Math.max(allCpuMs + allRunQueueMs, Number.MIN_VALUE);
  const cpuMs = bounded(allCpuMs - outsideMs * cpuShare);
  const queuedMs = bounded(allRunQueueMs - outsideMs * (1 - cpuShare));
  const runQueueMs = Math.min(durationMs - cpuMs, queuedMs, mostQueuedMs(period));
  return { cpuMs, runQueueMs, gcMs };
}

/**
 * What the thread can have waited for a CPU within the period at most: all the time before the first question, and what
 * was measured from there on. Waits of a thread that woke up from an idle poll before the period are part of the readings:
 * Node counts them as idle time.
 */
function mostQueuedMs({ start, samples: [first], after }: BusyPeriod): number {
  const sinceMs = first?.sentRunQueueMs;
  if (first?.sentAt === undefined || sinceMs === undefined || after.times?.runQueueMs === undefined) return Infinity;
  return Math.max(0, first.sentAt - start) + Math.max(0, after.times.runQueueMs - sinceMs);
}

/** Garbage collection within the interval, ms; undefined when less than half of the interval was observed. */
export function collectedWithin(interval: Interval, { observedSince, pauses }: GcPauses): number | undefined {
  if (observedSince === undefined || interval.end - observedSince < (interval.end - interval.start) / 2) {
    return undefined;
  }
  return overlapMs(interval, pauses);
}
