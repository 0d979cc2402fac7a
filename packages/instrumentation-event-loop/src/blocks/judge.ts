import type { ContextReader } from '../contract/context-reader.js';
import { overlapMs, type Interval } from '../contract/interval.js';
import type { Block, Frame, Sample } from '../contract/model.js';
import { attribute } from './attribute.js';
import type { BusyPeriod } from './busy-period.js';
import { contextIntervals } from './contexts.js';
import { debuggerPause } from './debugger-pause.js';
import { isNoBlock, type NoBlockContext } from './no-block.js';
import { boundsOf, outsideOf, type OutsideContext } from './outside.js';
import { segmentsOf, showsOnlyOwnWork, type Segment } from './segments.js';
import { isStartUp } from './start-up-samples.js';
import { threadTimes } from './thread-times.js';

export interface Judgement {
  /** Absent when the busy period was not a block. */
  readonly block?: Block;
  /** When a debugger held the thread: it counts for no block, and for no lag. */
  readonly paused: readonly Interval[];
}

/** Input of the judgement besides the busy period. */
export interface JudgeContext extends OutsideContext, NoBlockContext {
  /** When the thread did not run: suspensions of the process, and sleeps in a call right after the busy period. */
  readonly standstills: readonly Interval[];
  /** Start-up is judged like any other busy period. */
  readonly countsStartUp: boolean;
  readonly threadId: number;
  readonly threadName: string;
  readonly infoOf: ContextReader['infoOf'];
  /** Maps frames of generated code to their source. */
  readonly mapStack: (stack: readonly Frame[]) => readonly Frame[];
}

/** Decides whether a busy period was a block, and attributes it to code. */
export function judge(period: BusyPeriod, context: JudgeContext): Judgement {
  const { thresholdMs, countsStartUp } = context;
  const outside = outsideOf(period, context);
  const paused = debuggerPause(period.samples, period);
  const durationMs = period.end - period.start - overlapMs(period, paused) - overlapMs(period, outside);
  if (durationMs < thresholdMs || (!countsStartUp && isStartUp(period))) return { paused };
  const segments = countedSegments(period, outside, context);
  const block = makeBlock(period, segments, durationMs, [...outside, ...paused], context);
  return isNoBlock(block, segments, period, context) ? { paused } : { paused, block };
}

/** Describes a busy period as a block before it is judged, or while it lasts. */
export function provisionalBlock(period: BusyPeriod, context: JudgeContext): Block {
  const outside = outsideOf(period, context);
  const durationMs = period.end - period.start - overlapMs(period, outside);
  return makeBlock(period, countedSegments(period, outside, context), durationMs, outside, context);
}

/** The segments of the samples that were not taken outside of the block: what ran there is no part of it. */
function countedSegments(period: BusyPeriod, outside: readonly Interval[], { gc }: JudgeContext): Segment[] {
  const isCounted = ({ takenAt }: Sample): boolean =>
    !outside.some(({ start, end }) => takenAt > start && takenAt < end);
  return segmentsOf(period.samples.filter(isCounted), period, gc.pauses, outside);
}

function makeBlock(
  period: BusyPeriod,
  segments: readonly Segment[],
  durationMs: number,
  outside: readonly Interval[],
  { thresholdMs, gc, standstills, threadId, threadName, infoOf, mapStack }: JudgeContext,
): Block {
  const times = threadTimes(period, durationMs, gc, standstills);
  const isUnwatched = beganUnwatched(period, thresholdMs);
  const attribution = attribute({
    durationMs,
    thresholdMs,
    times,
    // A first question at the end of the block finds the heartbeat, which comes right after what blocked.
    segments: isUnwatched ? segments.filter(({ sample }) => !showsOnlyOwnWork(sample)) : segments,
    looks: period.looks,
    contexts: contextIntervals(segments, period.endings, period, outside, infoOf),
    infoOf,
    mapStack,
    beganUnwatched: isUnwatched,
  });
  return {
    id: {},
    ...boundsOf(period, outside),
    durationMs,
    times,
    attribution,
    threadId,
    threadName,
    hang: period.hang,
    endings: period.endings,
  };
}

/**
 * Whether the watchdog has asked for the first time when most of the block was over: it was still starting. It asks from
 * half of the threshold on, and on a busy host some time later. What ran at the end need not be what blocked.
 */
function beganUnwatched({ start, end, samples: [first] }: BusyPeriod, thresholdMs: number): boolean {
  const unwatchedMs = (first?.requestedAt ?? start) - start;
  return unwatchedMs > Math.max(2 * thresholdMs, (end - start) / 2);
}
