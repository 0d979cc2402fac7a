import type { ContextReader } from '../contract/context-reader.js';
import { overlapMs, type Interval } from '../contract/interval.js';
import type { Block, Sample } from '../contract/model.js';
import { attribute } from './attribute.js';
import type { BusyPeriod } from './busy-period.js';
import { contextIntervals } from './contexts.js';
import { isNoBlock, isStartUp, type NoBlockContext } from './no-block.js';
import { boundsOf, debuggerPauses, outsideOf, type Outside, type OutsideContext } from './outside.js';
import { segmentsOf, showsOnlyOwnWork, type Segment } from './segments.js';
import { threadTimes } from './thread-times.js';
import type { MapStack } from './visible.js';

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
  readonly mapStack: MapStack;
}

/** Decides whether a busy period was a block, and attributes it to code. */
export function judge(period: BusyPeriod, context: JudgeContext): Judgement {
  const { thresholdMs, countsStartUp } = context;
  const paused = debuggerPauses(period);
  // A debugger also works in the thread, before and after it holds it: what is left of such a period measures that.
  if (overlapMs(period, paused) > (period.end - period.start) / 2) return { paused };
  const outside = [...outsideOf(period, context), ...paused];
  if (countedMs(period, outside) < thresholdMs || (!countsStartUp && isStartUp(period))) return { paused };
  const { block, segments } = describe(period, outside, context);
  return isNoBlock(block, segments, period, context) ? { paused } : { paused, block };
}

/**
 * Describes a busy period as a block while it lasts. Undefined where most of it does not count, and the rest is too short for
 * a block: the SDK is being loaded, or the process was suspended. So it is where the watchdog has asked about a block that is
 * just over, and most of the shortest block is still missing.
 */
export function provisionalBlock(period: BusyPeriod, context: JudgeContext): Block | undefined {
  const outside = outsideOf(period, withSdkStart(context));
  const leftMs = countedMs(period, outside);
  if (leftMs < context.thresholdMs && leftMs < Math.max(context.thresholdMs, period.end - period.start) / 2) {
    return undefined;
  }
  return describe(period, outside, context).block;
}

/** The start of an SDK is excluded step by step, each at its end: while it goes on, so is all since its beginning. */
function withSdkStart(context: JudgeContext): JudgeContext {
  const { sdkStart, excluded } = context;
  if (sdkStart?.end !== Infinity) return context;
  return { ...context, excluded: [...excluded.filter(({ start }) => start !== sdkStart.start), sdkStart] };
}

function countedMs(period: BusyPeriod, outside: readonly Interval[]): number {
  return period.end - period.start - overlapMs(period, outside);
}

function describe(
  period: BusyPeriod,
  outside: readonly Outside[],
  { thresholdMs, gc, standstills, threadId, threadName, infoOf, mapStack }: JudgeContext,
): { block: Block; segments: readonly Segment[] } {
  const { samples, looks, hang, endings } = period;
  // What ran outside of the block is no part of it.
  const isCounted = ({ takenAt }: Sample): boolean =>
    !outside.some(({ start, end, began = start, ended = end }) => takenAt > began && takenAt < ended);
  const segments = segmentsOf(samples.filter(isCounted), period, gc.pauses, outside, mapStack);
  const durationMs = countedMs(period, outside);
  const times = threadTimes(period, durationMs, gc, standstills);
  const isUnwatched = beganUnwatched(period, thresholdMs);
  const attribution = attribute({
    durationMs,
    thresholdMs,
    times,
    // A first question at the end of the block finds the heartbeat, which comes right after what blocked.
    segments: isUnwatched ? segments.filter(({ sample }) => !showsOnlyOwnWork(sample)) : segments,
    looks,
    contexts: contextIntervals(segments, endings, period, outside, infoOf),
    infoOf,
    beganUnwatched: isUnwatched,
  });
  const bounds = boundsOf(period, outside);
  return {
    block: { id: {}, ...bounds, durationMs, times, attribution, threadId, threadName, hang, endings },
    segments,
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
