import { overlapMs, type Interval } from '../contract/interval.js';
import type { BlockTimes, GcPauses, Sample } from '../contract/model.js';
import type { BusyPeriod } from './busy-period.js';

/**
 * Time on a CPU, in the run queue and in garbage collection within a busy period; `durationMs` bounds the first two.
 * In the `standstills`, the thread did nothing.
 */
export function blockTimes(
  period: BusyPeriod,
  durationMs: number,
  gc: GcPauses,
  standstills: readonly Interval[] = [],
): BlockTimes {
  return { ...threadTimesWithin(period, durationMs, standstills), gcMs: gcMsWithin(period, gc) };
}

function threadTimesWithin(
  { start, end, before, after, samples, lostIdleMs = 0 }: BusyPeriod,
  durationMs: number,
  standstills: readonly Interval[],
): Pick<BlockTimes, 'cpuMs' | 'runQueueMs'> {
  if (!before?.times || !after.times) return { cpuMs: undefined, runQueueMs: undefined };
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
    return { cpuMs: bounded(allCpuMs - outsideMs), runQueueMs: undefined };
  }
  const allRunQueueMs = Math.max(0, after.times.runQueueMs - before.times.runQueueMs);
  const cpuShare = allCpuMs / Math.max(allCpuMs + allRunQueueMs, Number.MIN_VALUE);
  const cpuMs = bounded(allCpuMs - outsideMs * cpuShare);
  const runQueueMs = Math.min(durationMs - cpuMs, bounded(allRunQueueMs - outsideMs * (1 - cpuShare)));
  return { cpuMs, runQueueMs: withoutWakeUps(runQueueMs, cpuMs, durationMs, samples) };
}

/** Time within a block for which the thread's times are known. */
interface MeasuredPart {
  readonly elapsedMs: number;
  readonly cpuMs: number;
  readonly runQueueMs: number;
}

/** A measured part that is shorter than this, in ms, shows too little. */
const MIN_MEASURED_MS = 10;
/** Share of a measured part, and time in ms, for which a thread that does not sleep may seem to. */
const UNACCOUNTED_SHARE = 0.2;
const UNACCOUNTED_MS = 5;

/**
 * Run-queue time without the waits of a thread that woke up from an idle poll between the first reading and the block.
 * Node counts them as idle time, so they are part of `runQueueMs`, which is too large by them. In a block that computes
 * it cannot be: there, all time off the CPU is run-queue time. In one that sleeps, only what the samples measure counts.
 */
function withoutWakeUps(runQueueMs: number, cpuMs: number, durationMs: number, samples: readonly Sample[]): number {
  const part = measuredPart(samples, cpuMs / durationMs);
  if (!part || part.elapsedMs < MIN_MEASURED_MS) return runQueueMs;
  const sleptMs = part.elapsedMs - part.cpuMs - part.runQueueMs;
  if (sleptMs < Math.max(UNACCOUNTED_MS, part.elapsedMs * UNACCOUNTED_SHARE)) return runQueueMs;
  return Math.min(runQueueMs, Math.max(0, part.runQueueMs));
}

/**
 * The longest measured part: from the first sample to the last, or from a question to its answer, for which the CPU time
 * is not recorded and estimated by the share of the block.
 */
function measuredPart(samples: readonly Sample[], cpuShare: number): MeasuredPart | undefined {
  const parts = samples.flatMap(({ sentAt, sentRunQueueMs, takenAt, threadTimes }): MeasuredPart[] => {
    if (sentAt === undefined || sentRunQueueMs === undefined || threadTimes?.runQueueMs === undefined) return [];
    const elapsedMs = takenAt - sentAt;
    return [{ elapsedMs, cpuMs: elapsedMs * cpuShare, runQueueMs: threadTimes.runQueueMs - sentRunQueueMs }];
  });
  const [first, last] = [samples.at(0), samples.at(-1)];
  if (first?.threadTimes?.runQueueMs !== undefined && last?.threadTimes?.runQueueMs !== undefined) {
    parts.push({
      elapsedMs: last.takenAt - first.takenAt,
      cpuMs: last.threadTimes.cpuMs - first.threadTimes.cpuMs,
      runQueueMs: last.threadTimes.runQueueMs - first.threadTimes.runQueueMs,
    });
  }
  return parts.reduce<MeasuredPart | undefined>((a, b) => (a && a.elapsedMs >= b.elapsedMs ? a : b), undefined);
}

/** Garbage collection within the interval, ms; undefined when less than half of the interval was observed. */
export function gcMsWithin(interval: Interval, { observedSince, pauses }: GcPauses): number | undefined {
  if (observedSince === undefined || interval.end - observedSince < (interval.end - interval.start) / 2) {
    return undefined;
  }
  return overlapMs(interval, pauses);
}
