import { attribute } from './attribute.js';
import { debuggerPauseMs } from './cause.js';
import { sleepSegments } from './split-at-sleeps.js';
import { areStartUpSamples } from './start-up-samples.js';
import { weighSamples } from './weights.js';
import type { Reading } from '../detection/loop-monitor.js';
import type { Block, BlockTimes, Frame, Interval, Sample, SpanIds } from '../contract/model.js';

/** A busy run with all that was noted of it. */
export interface BusyPeriod extends Interval {
  readonly hang: SpanIds | undefined;
  /** The application was perhaps still being loaded. */
  readonly isStartUp: boolean;
  readonly samples: readonly Sample[];
  readonly before: Reading | undefined;
  readonly after: Reading;
}

/** Cuts a run of a worker thread at its sleeps; returns the busy and stuck parts, and the stretches that were idle. */
export function splitAtSleeps(run: BusyPeriod): { parts: BusyPeriod[]; idle: Interval[] } {
  const segments = sleepSegments(run, run.samples);
  if (segments.length === 1 && segments[0]?.kind !== 'idle') return { parts: [run], idle: [] };
  const reading = (at: number, sample: Sample | undefined): Reading | undefined =>
    // No poll within a run: the idle time stands still.
    sample && { at, idleTime: run.after.idleTime, times: sample.threadTimes };
  const parts = segments.flatMap((segment, i) => {
    const { kind, start, end, samples } = segment;
    if (kind === 'idle') return [];
    // What the thread had used when it fell asleep it had still used when it woke.
    const first = kind === 'busy' ? segments[i - 1]?.samples.at(-1) : samples[0];
    const before = reading(start, first) ?? run.before;
    const after = reading(end, segments[i + 1]?.samples[0]) ?? run.after;
    return [{ ...run, start, end, samples, before, after }];
  });
  // The report was on the last of them; the others ended before it.
  return {
    parts: parts.map((part, i) => (i === parts.length - 1 ? part : { ...part, hang: undefined })),
    idle: segments.filter(({ kind }) => kind === 'idle'),
  };
}

export interface Judgement {
  /** Absent when the run was no block. */
  readonly block?: Block;
  /** ms of it at a breakpoint. */
  readonly pausedMs: number;
}

export interface JudgeContext {
  readonly thresholdMs: number;
  /** Stretches that do not count: nothing of the process ran in them, or nothing of the application's. */
  readonly suspensions: readonly Interval[];
  readonly gcMs: number | undefined;
  readonly threadId: number;
  readonly threadName: string;
  readonly mapStack: (stack: readonly Frame[]) => readonly Frame[];
}

/** Decides whether a run was a block, and whose. */
export function judge(run: BusyPeriod, judgeContext: JudgeContext): Judgement {
  const { samples } = run;
  const pausedMs = debuggerPauseMs(weighSamples(samples, run), run);
  const durationMs = run.end - run.start - pausedMs - overlapMs(run, judgeContext.suspensions);
  if (durationMs < judgeContext.thresholdMs) return { pausedMs };
  if (run.isStartUp && (samples.length === 0 || areStartUpSamples(samples))) return { pausedMs };
  const block = makeBlock(run, durationMs, judgeContext);
  return isUnseenSleep(run, block) ? { pausedMs } : { pausedMs, block };
}

/**
 * A worker that slept, and had woken when the watchdog's only question reached it: a pool worker between two tasks, as far
 * as anybody can tell.
 */
function isUnseenSleep({ samples }: BusyPeriod, { threadId, attribution }: Block): boolean {
  const isUnseen = samples.length > 0 && samples.every(({ frames }) => frames.length === 0);
  return threadId !== 0 && attribution.cause === 'waiting' && isUnseen;
}

/** What is known of a block before the verdict, or while it lasts. */
export function provisionalBlock(run: BusyPeriod, judgeContext: JudgeContext): Block {
  return makeBlock(run, run.end - run.start, judgeContext);
}

function makeBlock(run: BusyPeriod, durationMs: number, { gcMs, threadId, threadName, mapStack }: JudgeContext): Block {
  const times = timesOf(run, gcMs, durationMs);
  return {
    start: run.start,
    end: run.end,
    durationMs,
    times,
    attribution: attribute({ block: run, durationMs, times, samples: run.samples, mapStack }),
    threadId,
    threadName,
    hang: run.hang,
  };
}

/** ms of the stretch that lie in any of the others, which do not overlap each other. */
export function overlapMs({ start, end }: Interval, others: readonly Interval[]): number {
  return others.reduce((sum, other) => sum + Math.max(0, Math.min(end, other.end) - Math.max(start, other.start)), 0);
}

function timesOf(run: BusyPeriod, gcMs: number | undefined, durationMs: number): BlockTimes {
  const { before, after } = run;
  if (!before?.times || !after.times) return { cpuMs: undefined, runQueueMs: undefined, gcMs };
  // What the thread was busy with between the reading and the run, and after it, is none of the block's.
  const idleMs = after.idleTime - before.idleTime;
  const besidesMs = Math.max(0, run.start - before.at - idleMs) + Math.max(0, after.at - run.end - idleMs);
  const within = (ms: number): number => Math.min(durationMs, Math.max(0, ms));
  // On a machine that was migrated the counters can step back.
  const allCpuMs = Math.max(0, after.times.cpuMs - before.times.cpuMs);
  if (after.times.runQueueMs === undefined || before.times.runQueueMs === undefined) {
    return { cpuMs: within(allCpuMs - besidesMs), runQueueMs: undefined, gcMs };
  }
  const allRunQueueMs = Math.max(0, after.times.runQueueMs - before.times.runQueueMs);
  const cpuShare = allCpuMs / Math.max(allCpuMs + allRunQueueMs, Number.MIN_VALUE);
  const cpuMs = within(allCpuMs - besidesMs * cpuShare);
  return { cpuMs, runQueueMs: Math.min(durationMs - cpuMs, within(allRunQueueMs - besidesMs * (1 - cpuShare))), gcMs };
}
