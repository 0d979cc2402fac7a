import { overlapMs, type Interval } from '../contract/interval.js';
import type { BlockTimes, GcPauses, Sample } from '../contract/model.js';
import type { BusyPeriod } from './busy-period.js';
import { mayHaveSlept } from './cause.js';
import { showsSleeper } from './visible-frames.js';

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
  period: BusyPeriod,
  durationMs: number,
  standstills: readonly Interval[],
): Pick<BlockTimes, 'cpuMs' | 'runQueueMs'> {
  const { start, end, before, after, lostIdleMs = 0 } = period;
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
  return { cpuMs, runQueueMs: withoutWakeUps(runQueueMs, period) };
}

/** The end of a block, from the first time within it at which the thread's times are known. */
interface MeasuredPart {
  /** Time of the block before it. */
  readonly unmeasuredMs: number;
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
 * it cannot be: there, all time off the CPU is run-queue time. In one that sleeps, what was measured within the block
 * counts, and at most the time before that. Where the code that slept is known, it slept then, too. Where it is not, the
 * thread may have slept for a moment only, in a lock of V8's, while it waited for a CPU for most of the block. A thread
 * that the kernel showed as ready to run did not sleep: its host, or a quota, held it up without counting that.
 */
function withoutWakeUps(runQueueMs: number, period: BusyPeriod): number {
  const part = measuredPart(period);
  if (!part || part.elapsedMs < MIN_MEASURED_MS) return runQueueMs;
  // Each question wakes a thread in `Atomics.wait`: it is ready to run then.
  if (!period.samples.some(isInAtomicsWait) && !mayHaveSlept(period.looks)) return runQueueMs;
  const sleptMs = part.elapsedMs - part.cpuMs - part.runQueueMs;
  if (sleptMs < Math.max(UNACCOUNTED_MS, part.elapsedMs * UNACCOUNTED_SHARE)) return runQueueMs;
  const unmeasuredMs = period.samples.some(showsSleeper) ? 0 : part.unmeasuredMs;
  return Math.min(runQueueMs, Math.max(0, part.runQueueMs) + unmeasuredMs);
}

function isInAtomicsWait({ pending }: Sample): boolean {
  return pending !== undefined;
}

/**
 * The part since the first question was sent, or since its answer where the run-queue time at the question is unknown.
 * The time on a CPU is read only at the answer. Until the question, the thread computed whenever it did not wait for a
 * CPU; the rest of the time on a CPU belongs to the answer.
 */
function measuredPart({ start, end, samples: [first], before, after }: BusyPeriod): MeasuredPart | undefined {
  const [initial, last] = [before?.times, after.times];
  const answer = first?.threadTimes;
  if (!first || initial?.runQueueMs === undefined || answer?.runQueueMs === undefined) return undefined;
  if (last?.runQueueMs === undefined) return undefined;
  const { sentAt, sentRunQueueMs, takenAt } = first;
  const isSent = sentAt !== undefined && sentRunQueueMs !== undefined;
  const since = isSent ? sentAt : takenAt;
  const sinceRunQueueMs = isSent ? sentRunQueueMs : answer.runQueueMs;
  const ranBeforeMs = Math.max(0, since - start - (sinceRunQueueMs - initial.runQueueMs));
  const ranToAnswerMs = Math.max(0, takenAt - since - (answer.runQueueMs - sinceRunQueueMs));
  const toAnswerMs = Math.min(ranToAnswerMs, Math.max(0, answer.cpuMs - initial.cpuMs - ranBeforeMs));
  return {
    unmeasuredMs: since - start,
    elapsedMs: Math.min(end, after.at) - since,
    cpuMs: toAnswerMs + last.cpuMs - answer.cpuMs,
    runQueueMs: last.runQueueMs - sinceRunQueueMs,
  };
}

/** Garbage collection within the interval, ms; undefined when less than half of the interval was observed. */
export function gcMsWithin(interval: Interval, { observedSince, pauses }: GcPauses): number | undefined {
  if (observedSince === undefined || interval.end - observedSince < (interval.end - interval.start) / 2) {
    return undefined;
  }
  return overlapMs(interval, pauses);
}
