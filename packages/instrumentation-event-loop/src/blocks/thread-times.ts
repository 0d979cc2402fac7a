import { overlapMs, type Interval } from '../contract/interval.js';
import type { BlockTimes, GcPauses, ThreadTimes } from '../contract/model.js';
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
  const usedMs = difference(after.times?.cpuMs, before?.times?.cpuMs);
  const queuedMs = difference(after.times?.runQueueMs, before?.times?.runQueueMs);
  if (usedMs === undefined) return { cpuMs: undefined, runQueueMs: undefined, gcMs };
  // The readings were taken before and after the period: work between a reading and the period is not part of the
  // block.
  const idleMs = after.idleTime - before!.idleTime;
  const workedMs = (outside: Interval): number =>
    Math.max(0, outside.end - outside.start - idleMs - overlapMs(outside, standstills));
  const outsideMs = workedMs({ start: before!.at, end: start - lostIdleMs }) + workedMs({ start: end, end: after.at });
  const bounded = (ms: number): number => Math.min(durationMs, Math.max(0, ms));
  // The counters can step back when the virtual machine migrates to another host.
  const allCpuMs = Math.max(0, usedMs);
  const allRunQueueMs = Math.max(0, queuedMs ?? 0);
  const cpuShare = allCpuMs / Math.max(allCpuMs + allRunQueueMs, Number.MIN_VALUE);
  const cpuMs = bounded(Math.max(allCpuMs - outsideMs * cpuShare, leastMs(period, 'cpuMs')));
  const mostMs = Math.min(durationMs - cpuMs, mostQueuedMs(period));
  const runQueueMs = Math.min(
    mostMs,
    bounded(Math.max(allRunQueueMs - outsideMs * (1 - cpuShare), leastMs(period, 'runQueueMs'))),
  );
  return { cpuMs, runQueueMs: queuedMs === undefined ? undefined : runQueueMs, gcMs };
}

/** What was measured from the first answer to the end, of which nothing was before the period: a sleep may have been there. */
function leastMs({ end, samples: [first], after }: BusyPeriod, time: keyof ThreadTimes): number {
  return (difference(after.times?.[time], first?.threadTimes?.[time]) ?? 0) - Math.max(0, after.at - end);
}

/** The later of two readings less the earlier one; undefined where one of them is not known. */
export function difference(later: number | undefined, earlier: number | undefined): number | undefined {
  return later === undefined || earlier === undefined ? undefined : later - earlier;
}

/**
 * What the thread can have waited for a CPU within the period at most: all the time before the first question, and what
 * was measured from there on. Waits of a thread that woke up from an idle poll before the period are part of the readings:
 * Node counts them as idle time.
 */
function mostQueuedMs({ start, samples: [first], after }: BusyPeriod): number {
  const unaskedMs = difference(first?.sentAt, start);
  const queuedMs = difference(after.times?.runQueueMs, first?.sentRunQueueMs);
  if (unaskedMs === undefined || queuedMs === undefined) return Infinity;
  return Math.max(0, unaskedMs) + Math.max(0, queuedMs);
}

/** Garbage collection within the interval, ms; undefined when less than half of the interval was observed. */
export function collectedWithin(interval: Interval, { observedSince, pauses }: GcPauses): number | undefined {
  const observedMs = interval.end - (observedSince ?? Infinity);
  return observedMs < (interval.end - interval.start) / 2 ? undefined : overlapMs(interval, pauses);
}
