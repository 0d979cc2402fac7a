import { attribute } from './attribution/attribute.js';
import { debuggerPauseMs } from './attribution/cause.js';
import { isLoadingCode } from './attribution/loading-code.js';
import { weighSamples } from './attribution/weights.js';
import type { Reading } from './detection/loop-monitor.js';
import type { Block, BlockTimes, Frame, Interval, Sample } from './model.js';

/** A busy run with all that was noted of it. */
export interface FinishedRun extends Interval {
  /** The application was perhaps still being loaded. */
  readonly isLoading: boolean;
  readonly samples: readonly Sample[];
  readonly before: Reading | undefined;
  readonly after: Reading;
}

export interface Verdict {
  /** Absent when the run was no block. */
  readonly block?: Block;
  /** ms of it at a breakpoint. */
  readonly pausedMs: number;
}

export interface Surroundings {
  readonly thresholdMs: number;
  /** Stretches in which nothing of the process ran. */
  readonly gaps: readonly Interval[];
  readonly gcMs: number | undefined;
  readonly threadId: number;
  readonly threadName: string;
  readonly mapStack: (stack: readonly Frame[]) => readonly Frame[];
}

/** Decides whether a run was a block, and whose. */
export function judge(run: FinishedRun, surroundings: Surroundings): Verdict {
  const { samples } = run;
  const pausedMs = debuggerPauseMs(weighSamples(samples, run), run);
  const durationMs = run.end - run.start - pausedMs - overlapMs(run, surroundings.gaps);
  if (durationMs < surroundings.thresholdMs) return { pausedMs };
  if (run.isLoading && (samples.length === 0 || isLoadingCode(samples))) return { pausedMs };
  const times = timesOf(run, surroundings.gcMs, durationMs);
  const { threadId, threadName, mapStack } = surroundings;
  return {
    pausedMs,
    block: {
      start: run.start,
      end: run.end,
      durationMs,
      times,
      attribution: attribute({ block: run, durationMs, times, samples, mapStack }),
      threadId,
      threadName,
    },
  };
}

/** ms of the stretch that lie in any of the others, which do not overlap each other. */
export function overlapMs({ start, end }: Interval, others: readonly Interval[]): number {
  return others.reduce(
    (sum, other) => sum + Math.max(0, Math.min(end, other.end) - Math.max(start, other.start)),
    0,
  );
}

function timesOf(run: FinishedRun, gcMs: number | undefined, durationMs: number): BlockTimes {
  const { before, after } = run;
  if (!before?.times || !after.times) return { cpuMs: undefined, runQueueMs: undefined, gcMs };
  // What the thread was busy with between the reading and the run, and after it, is none of the block's.
  const idleMs = after.idleTime - before.idleTime;
  const besidesMs = Math.max(0, run.start - before.at - idleMs) + Math.max(0, after.at - run.end - idleMs);
  const within = (ms: number): number => Math.min(durationMs, Math.max(0, ms));
  const cpuMs = within(after.times.cpuMs - before.times.cpuMs - besidesMs);
  if (after.times.runQueueMs === undefined || before.times.runQueueMs === undefined) {
    return { cpuMs, runQueueMs: undefined, gcMs };
  }
  const runQueueMs = Math.min(durationMs - cpuMs, within(after.times.runQueueMs - before.times.runQueueMs));
  return { cpuMs, runQueueMs, gcMs };
}
