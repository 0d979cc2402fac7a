import { overlapMs, type Interval } from '../contract/interval.js';
import type { BlockTimes, GcPauses } from '../contract/model.js';
import type { BusyPeriod } from './busy-period.js';

/**
 * Time on a CPU, in the run queue and in garbage collection within a busy period; `durationMs` bounds the first two.
 */
export function blockTimes(period: BusyPeriod, durationMs: number, gc: GcPauses): BlockTimes {
  return { ...threadTimesWithin(period, durationMs), gcMs: gcMsWithin(period, gc) };
}

function threadTimesWithin(
  { start, end, before, after }: BusyPeriod,
  durationMs: number,
): Pick<BlockTimes, 'cpuMs' | 'runQueueMs'> {
  if (!before?.times || !after.times) return { cpuMs: undefined, runQueueMs: undefined };
  // The readings were taken before and after the period: work between a reading and the period is not part of the
  // block.
  const idleMs = after.idleTime - before.idleTime;
  const outsideMs = Math.max(0, start - before.at - idleMs) + Math.max(0, after.at - end - idleMs);
  const bounded = (ms: number): number => Math.min(durationMs, Math.max(0, ms));
  // The counters can step back when the virtual machine migrates to another host.
  const allCpuMs = Math.max(0, after.times.cpuMs - before.times.cpuMs);
  if (after.times.runQueueMs === undefined || before.times.runQueueMs === undefined) {
    return { cpuMs: bounded(allCpuMs - outsideMs), runQueueMs: undefined };
  }
  const allRunQueueMs = Math.max(0, after.times.runQueueMs - before.times.runQueueMs);
  const cpuShare = allCpuMs / Math.max(allCpuMs + allRunQueueMs, Number.MIN_VALUE);
  const cpuMs = bounded(allCpuMs - outsideMs * cpuShare);
  return { cpuMs, runQueueMs: Math.min(durationMs - cpuMs, bounded(allRunQueueMs - outsideMs * (1 - cpuShare))) };
}

/** Garbage collection within the interval, ms; undefined when less than half of the interval was observed. */
export function gcMsWithin(interval: Interval, { observedSince, pauses }: GcPauses): number | undefined {
  if (observedSince === undefined || interval.end - observedSince < (interval.end - interval.start) / 2) {
    return undefined;
  }
  return overlapMs(interval, pauses);
}
