import { overlapMs, type Interval } from '../contract/interval.js';
import type { Block, Frame, GcPauses } from '../contract/model.js';
import { attribute } from './attribute.js';
import { blockTimes } from './block-times.js';
import type { BusyPeriod } from './busy-period.js';
import { debuggerPauseMs } from './debugger-pause.js';
import { areStartUpSamples } from './start-up-samples.js';
import { weighSamples, type WeightedSample } from './weights.js';

export interface Judgement {
  /** Absent when the busy period was no block. */
  readonly block?: Block;
  /** ms of it at a breakpoint. */
  readonly pausedMs: number;
}

/** What is known besides the busy period itself. */
export interface JudgeContext {
  readonly thresholdMs: number;
  /** Intervals that do not count: the process was suspended, or the time was not the application's. */
  readonly excluded: readonly Interval[];
  readonly gc: GcPauses;
  readonly threadId: number;
  readonly threadName: string;
  /** Maps frames of generated code to their source. */
  readonly mapStack: (stack: readonly Frame[]) => readonly Frame[];
}

/** Decides whether a busy period was a block, and which code made it. */
export function judge(period: BusyPeriod, context: JudgeContext): Judgement {
  const samples = weighSamples(period.samples, period);
  const pausedMs = debuggerPauseMs(samples, period);
  const durationMs = period.end - period.start - pausedMs - overlapMs(period, context.excluded);
  if (durationMs < context.thresholdMs) return { pausedMs };
  if (period.isStartUp && (samples.length === 0 || areStartUpSamples(period.samples))) return { pausedMs };
  const block = makeBlock(period, samples, durationMs, context);
  return isUnseenSleep(block, samples) ? { pausedMs } : { pausedMs, block };
}

/** What is known of a block before it is judged, or while it lasts. */
export function provisionalBlock(period: BusyPeriod, context: JudgeContext): Block {
  return makeBlock(period, weighSamples(period.samples, period), period.end - period.start, context);
}

function makeBlock(
  period: BusyPeriod,
  samples: readonly WeightedSample[],
  durationMs: number,
  { gc, threadId, threadName, mapStack }: JudgeContext,
): Block {
  const times = blockTimes(period, durationMs, gc);
  return {
    start: period.start,
    end: period.end,
    durationMs,
    times,
    attribution: attribute({ durationMs, times, samples, mapStack }),
    threadId,
    threadName,
    hang: period.hang,
  };
}

/** A worker that had already woken when it answered: this cannot be told from a pool worker's sleep between two tasks. */
function isUnseenSleep({ threadId, attribution }: Block, samples: readonly WeightedSample[]): boolean {
  const isUnseen = samples.length > 0 && samples.every(({ sample }) => sample.frames.length === 0);
  return threadId !== 0 && attribution.cause === 'waiting' && isUnseen;
}
